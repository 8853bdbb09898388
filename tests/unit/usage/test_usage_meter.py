"""Hours, energy and fuel, against sums done by hand."""

from typing import Any

import msgspec
import numpy as np
import pytest

from simcore.model import channel_table
from twin import keys
from twin.fleet.catalogue import build
from twin.runtime import frames
from twin.usage.meter import PART_US, PARTS, ChannelIndexes, Totals, add, channel_indexes
from twin.usage.models import Usage
from twin.usage.services import NEWEST, count_usage

WHERE = ChannelIndexes(power=0, fuel=1)
QUARTER_US = 250_000


def frame(t_us: int, power: float, fuel: float = 0.0, status: Any = "synced") -> frames.Frame:
    values = np.array([power, fuel])
    arrays = msgspec.structs.asdict(frames.pack(values, values, values))
    told = {"machine": "", "epoch": 1, "seq": 1, "ts": t_us, "t_sample": t_us, "received": t_us, "reason": ""}
    return frames.Frame(t=t_us, status=status, load=0.0, lag_us=0, **told, **arrays)


def nothing() -> Totals:
    return Totals(0, 0.0, 0.0, None)


def ramp(n: int, begin_us: int = 0) -> list[frames.Frame]:
    """Power grows by 100 W and fuel by 1 g/s from frame to frame."""
    return [frame(begin_us + k * QUARTER_US, 100.0 * k, 1e-3 * k) for k in range(n)]


def test_a_ramp_is_integrated_exactly() -> None:
    total = nothing()
    assert add(total, ramp(41), WHERE)
    # 10 s from 0 to 4 kW and from 0 to 40 g/s: the trapezoidal rule has no error on straight lines
    assert total.run_s == pytest.approx(10.0)
    assert total.energy_joule == pytest.approx(20_000.0, rel=1e-6)
    assert total.fuel_kg == pytest.approx(0.2, rel=1e-6)


def test_frames_that_are_seen_again_are_counted_once_in_whatever_pieces_they_come() -> None:
    whole, pieces = nothing(), nothing()
    trail = ramp(80)
    add(whole, trail, WHERE)
    for begin in range(0, 80, 13):
        add(pieces, trail[max(0, begin - 20) : begin + 13], WHERE)
    assert pieces.energy_joule == pytest.approx(whole.energy_joule, rel=1e-9)
    assert pieces.run_s == pytest.approx(whole.run_s)
    assert not add(pieces, trail, WHERE)


def test_silence_and_a_twin_that_does_not_follow_are_not_guessed_at() -> None:
    total = nothing()
    later = [frame(t.t + 60_000_000, 100.0) for t in ramp(5)]
    alone = [frame(t.t + 120_000_000, 100.0, status="coasting") for t in ramp(5)]
    add(total, [*ramp(5), *later, *alone], WHERE)
    assert total.run_s == pytest.approx(2.0)


def test_power_that_flows_back_is_no_negative_consumption() -> None:
    total = nothing()
    add(total, [frame(0, -500.0), frame(QUARTER_US, -500.0)], WHERE)
    assert (total.run_s, total.energy_joule) == (0.25, 0.0)


def test_the_recent_load_keeps_ten_minutes_of_means() -> None:
    total = nothing()
    minutes = [frame(k * QUARTER_US, 300.0) for k in range(4 * 60 * 12)]
    add(total, minutes, WHERE)
    assert len(total.recent) == PARTS
    assert [part for part, _, _ in total.recent] == list(range(12, 72))
    assert all(joule / seconds == pytest.approx(300.0) for _, joule, seconds in total.recent)
    assert PART_US * PARTS == 600e6


def test_every_machine_shows_pump_power_and_an_engine_burns_fuel() -> None:
    found = {model: channel_indexes(channel_table(build(model, {}))) for model in ("four-bar-b", "excavator")}
    assert found["four-bar-b"].fuel is None
    channels = channel_table(build("excavator", {}))
    assert channels[found["excavator"].power or 0].name == "pump.power"
    assert channels[found["excavator"].fuel or 0].unit == "kg/s"


@pytest.mark.system
@pytest.mark.django_db
@pytest.mark.parametrize("first", [9, NEWEST + 60])  # within what is read at first, and beyond it
def test_trails_are_counted_and_the_counters_stored(valkey: Any, story: Any, first: int) -> None:
    place = channel_indexes(story.machine.channels()).power
    values = np.zeros(17)
    values[place] = 1000.0
    arrays = msgspec.structs.asdict(frames.pack(values, values, values))
    with valkey.client() as client:
        for k in range(first + 20):
            if k == first:
                client.rpush(keys.recent_frames(story.machine.pk), b"of another version")
                assert (count_usage(client), count_usage(client)) == (1, 0)
            each = msgspec.structs.replace(frame(QUARTER_US * (k + 1), 0.0), **arrays)
            client.rpush(keys.recent_frames(story.machine.pk), frames.encode(each))
        assert count_usage(client) == 1
    usage = Usage.objects.for_user(story.bob).get()
    assert (usage.run_s, usage.fuel_kg) == (pytest.approx(0.25 * (first + 19)), None)
    assert usage.energy_joule == pytest.approx(250.0 * (first + 19))
