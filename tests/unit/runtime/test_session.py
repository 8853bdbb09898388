"""The order in which a session advances and corrects its twin: everything follows from the stream."""

import random
from datetime import UTC, datetime

import msgspec
import numpy as np
import pytest
from recording_twin import CHANNELS, POISON, REFUSED, RecordingTwin

from twin.ingest.entries import Entry, Samples, Tick
from twin.runtime import checkpoint, frames
from twin.runtime.session import STALE_US, TwinSession

DELAY_US = 150_000
T0 = 1_763_251_200_000_000
MS = 1_000


def session() -> TwinSession:
    return TwinSession(RecordingTwin(), CHANNELS, dt_us=MS, delay_us=DELAY_US)


def sample(ms: float, angle: float = 1.0) -> tuple:
    return (0, T0 + round(ms * MS), {"crank.angle": angle})


def entry(*samples: tuple, received_ms: float | None = None) -> Samples:
    """Samples that arrive when the newest of them was taken, unless a test says otherwise."""
    received = max(t for _, t, _ in samples) if received_ms is None else T0 + round(received_ms * MS)
    return Samples("device", "boot", received, list(samples))


def replay(entries: list[Entry], made: TwinSession | None = None) -> TwinSession:
    made = made or session()
    for item in entries:
        made.feed(item)
    return made


def corrections(made: TwinSession) -> list[float]:
    return [note["crank.angle"] for note in made.twin.notes[1:] if isinstance(note, dict)]


def test_the_twin_starts_from_the_first_sample_and_follows_from_sample_to_sample_at_the_delay():
    made = replay([entry(sample(0, 1.0)), entry(sample(100, 2.0)), entry(sample(200, 3.0))])
    assert made.twin.notes == ["start", {"crank.angle": 1.0}, 0]
    assert made.state_us == T0
    replay([entry(sample(300, 4.0))], made)
    assert made.twin.notes == ["start", {"crank.angle": 1.0}, 100, {"crank.angle": 2.0}]
    assert made.status == "synced"
    assert made.record.fused_us == T0 + 100 * MS


def test_samples_out_of_order_are_fused_in_order_of_machine_time():
    made = replay([entry(sample(0)), entry(sample(60, 3.0)), entry(sample(20, 2.0)), entry(sample(400))])
    assert corrections(made) == [1.0, 2.0, 3.0]


def test_samples_of_the_same_time_are_fused_in_order_of_arrival():
    made = replay([entry(sample(0, 1.0)), entry(sample(20, 3.0), sample(20, 2.0)), entry(sample(400))])
    assert corrections(made) == [1.0, 3.0, 2.0]


def test_a_sample_older_than_the_state_is_late_and_changes_nothing():
    made = replay([entry(sample(0)), entry(sample(400))])
    notes = list(made.twin.notes)
    replay([entry(sample(100, 9.0)), entry(sample(-5, 9.0)), entry(sample(250, 9.0))], made)
    assert made.twin.notes == notes
    assert made.record.late == 3
    replay([entry(sample(251, 5.0)), entry(sample(600))], made)
    assert 5.0 in corrections(made)


def test_a_sample_is_applied_at_the_nearest_step():
    made = replay([entry(sample(0)), entry(sample(20.4, 2.0)), entry(sample(30.6, 3.0)), entry(sample(400))])
    assert made.twin.notes[2:6] == [20, {"crank.angle": 2.0}, 11, {"crank.angle": 3.0}]


def test_channels_that_are_not_telemetry_do_not_reach_the_twin():
    odd = (0, T0, {"crank.angle": 1.0, "cylinder.p_A": 5.0, "nonsense": 1.0})
    assert session_start_readings(odd) == {"crank.angle": 1.0}


def session_start_readings(first: tuple) -> dict:
    return replay([entry(first)]).twin.notes[1]


def test_ticks_make_the_twin_coast_and_then_stale():
    made = replay([entry(sample(0)), entry(sample(200))])
    statuses = []
    for tick_ms in range(300, 5400, 100):
        made.feed(Tick(T0 + tick_ms * MS, 0))
        statuses.append(made.status)
    assert statuses[0] == "synced"
    assert (
        statuses[statuses.index("coasting") :].count("coasting") == 44
    )  # from three intervals, 0.8 s, to 5.1 s
    assert statuses[-1] == "stale"


def test_a_silent_machine_gets_ticks_until_its_twin_is_stale():
    made = replay([entry(sample(0), sample(200), received_ms=210)])
    ticks = []
    for now_ms in range(210, 12_000, 50):
        due = made.tick_due(T0 + now_ms * MS)
        if due is not None:
            ticks.append((now_ms, (due - T0) // MS))
            made.feed(Tick(due, T0 + now_ms * MS))
    assert ticks[0] == (510, 350)  # 300 ms of silence; 200 + 300 less the delay
    assert ticks[1] == (610, 450)
    assert ticks[-1][1] == 200 + STALE_US // MS + 1
    assert made.status == "stale"
    assert len(ticks) < 60


def test_no_tick_before_the_first_sample_nor_while_samples_come():
    assert session().tick_due(T0) is None
    made = replay([entry(sample(0), sample(200), received_ms=210)])
    assert made.tick_due(T0 + 400 * MS) is None


def test_a_twin_resumes_from_a_sample_after_a_long_gap_in_the_same_epoch():
    made = replay([entry(sample(0)), entry(sample(400)), entry(sample(250 + STALE_US // MS, 1.0))])
    followed = list(made.twin.notes)
    at_step = made.record.step
    replay([entry(sample(12_000, 7.0))], made)
    assert made.record.epoch == 1
    assert made.twin.notes == [*followed, f"resume {12_000 - at_step}", {"crank.angle": 7.0}, 0]
    assert made.state_us == T0 + 12_000 * MS
    assert made.status == "synced"


def test_a_sample_from_before_a_resume_is_late():
    made = replay([entry(sample(0)), entry(sample(12_000, 7.0)), entry(sample(11_950, 6.0))])
    assert made.record.late == 1
    replay([entry(sample(12_020, 8.0)), entry(sample(12_400))], made)
    assert corrections(made) == [1.0, 7.0, 8.0]


def test_a_failing_twin_says_why_and_tries_again_from_a_later_sample():
    made = replay([entry(sample(0)), entry(sample(100, POISON)), entry(sample(120)), entry(sample(400))])
    assert made.status == "failed"
    assert made.record.failure.code == "model.joint"
    assert "joint of 'crank'" in made.reason()
    replay([entry(sample(420)), Tick(T0 + 4_000 * MS, 0)], made)
    assert made.status == "failed"
    replay([entry(sample(1_200))], made)
    assert (made.status, made.record.epoch, made.record.failure) == ("synced", 1, None)
    assert made.twin.notes[0] == "start"  # nothing was forgotten


def test_a_model_that_ends_as_soon_as_the_machine_pauses_has_failed():
    made = replay([entry(sample(0)), entry(sample(100, POISON)), Tick(T0 + 500 * MS, 0)])
    assert made.status == "failed"


def test_a_twin_that_keeps_failing_tries_less_and_less_often_and_says_so():
    made, starts = session(), []
    for ms in range(0, 300_000, 100):
        epoch = made.record.epoch
        made.feed(entry(sample(ms, REFUSED)))
        if made.record.epoch > epoch:
            starts.append(ms // 1000)
    assert starts == [0, 1, 3, 7, 15, 31, 63, 127, 191, 255]
    assert "failed 10 times in a row; next attempt after 64 s" in made.reason()
    assert (made.record.failure.code, made.record.failures, made.retry_s()) == ("model.joint", 10, 64)
    replay([entry(sample(ms)) for ms in range(300_000, 335_000, 100)], made)
    assert (made.status, made.record.failures) == ("synced", 0)  # ten good seconds, and all is forgotten
    replay([entry(sample(335_000, POISON)), entry(sample(335_020)), entry(sample(335_400))], made)
    assert made.status == "failed"
    assert "in a row" not in made.reason()


def test_a_sample_the_twin_refuses_is_skipped_and_counted():
    made = replay(
        [entry(sample(0)), entry(sample(100, REFUSED)), entry(sample(120, 3.0)), entry(sample(400))]
    )
    assert corrections(made) == [1.0, 3.0]
    assert (made.status, made.record.refused, made.record.epoch) == ("synced", 1, 1)


def test_commands_alone_do_not_make_a_twin_synced():
    made = replay([entry(sample(0))])
    for ms in range(20, 2_000, 20):
        made.feed(Samples("device", "boot", T0 + ms * MS, [(0, T0 + ms * MS, {"valve.command": 1.0})]))
    assert made.status == "coasting"


def test_a_twin_that_refuses_everything_starts_again_from_what_it_is_told():
    made = replay([entry(sample(0))])
    for ms in range(20, 400, 20):
        made.feed(entry(sample(ms, REFUSED)))
    assert made.record.failure is None
    for ms in range(400, 800, 20):
        made.feed(entry(sample(ms, REFUSED)))
    assert made.status == "failed"  # it cannot resume from these either, and says why
    replay([entry(sample(3_000, 5.0))], made)
    assert made.status == "synced"
    assert made.twin.notes[0] == "start"


def test_a_sample_from_the_future_does_not_make_the_others_late():
    made = replay([entry(sample(0)), entry(sample(2_000, 9.0), received_ms=20)])
    for ms in range(40, 1_000, 20):
        made.feed(entry(sample(ms, ms)))
    assert made.record.late == 0
    assert made.status == "synced"
    assert corrections(made)[-1] == 820  # the last one before the watermark, 980 - 150
    assert made.tick_due(T0 + 1_100 * MS) is None
    for ms in range(1_000, 2_400, 20):
        made.feed(entry(sample(ms, ms)))
    assert corrections(made).index(9.0) == corrections(made).index(2_000.0) - 1  # in its turn, by arrival


def test_a_twin_whose_clock_was_set_back_resumes_in_a_new_epoch_after_a_while():
    made = replay([entry(sample(60_000)), entry(sample(60_020))])
    for ms in range(20, 8_000, 20):  # machine time begins again at zero, our clock goes on
        made.feed(entry(sample(ms, ms), received_ms=60_000 + ms))
    assert made.record.epoch == 2
    assert made.status == "synced"
    assert made.state_us < T0 + 8_000 * MS
    assert made.twin.notes[0] == "start"
    assert "resume 0" in made.twin.notes


def test_a_twin_that_cannot_start_shows_no_numbers():
    made = replay([entry(sample(0, REFUSED))])
    assert made.status == "failed"
    assert np.isnan(made.values()).all()
    assert made.measured()[0] == REFUSED
    other = session()
    checkpoint.restore(other, checkpoint.dump(made, model="m", token=1, last_id="1-0"), model="m")
    assert other.record == made.record


def wild_stream(seed: int, bad: tuple[float, ...] = (REFUSED, POISON)) -> list[Entry]:
    """Samples in disorder, late ones, equal times, ticks, gaps, and some that are bad."""
    rng = random.Random(seed)
    now, stream = 0.0, []
    for number in range(400):
        now += rng.choice([5, 20, 20, 20, 60]) if rng.random() > 0.01 else rng.uniform(4_000, 9_000)
        if rng.random() < 0.1:
            stream.append(Tick(T0 + round((now - rng.uniform(-100, 200)) * MS), number))
            continue
        times = [
            now + rng.choice([0, 0, 0, -30, -200, 15]) + rng.uniform(-0.6, 0.6)
            for _ in range(rng.randint(1, 5))
        ]
        angle = rng.choice(bad) if rng.random() < 0.01 else number
        stream.append(entry(*(sample(t, angle) for t in times)))
    return stream


def split(item: Samples) -> list[Samples]:
    return [Samples(item.device, item.boot, item.received, [one]) for one in item.samples]


def outcome(made: TwinSession) -> tuple:
    notes = made.twin.notes if made.has_state else None
    return notes, made.record.epoch, made.state_us, made.status, made.record.late, made.record.pending


@pytest.mark.parametrize("seed", range(5))
def test_how_samples_are_spread_over_entries_changes_nothing(seed):
    stream = wild_stream(seed, bad=(REFUSED,))
    single = [part for item in stream for part in ([item] if isinstance(item, Tick) else split(item))]
    assert outcome(replay(single)) == outcome(replay(stream))


@pytest.mark.parametrize("seed", range(5))
def test_interrupted_in_the_middle_of_an_entry_it_goes_on_where_it_was(seed):
    stream, rng = wild_stream(seed), random.Random(seed)
    made = session()
    for item in stream:
        while not made.feed(item, lambda: rng.random() < 0.5):
            if rng.random() < 0.3:  # and killed there: the same entry is read again
                saved = checkpoint.dump(made, model="m", token=1, last_id="1-0")
                made = session()
                checkpoint.restore(made, saved, model="m")
    assert outcome(made) == outcome(replay(stream))


@pytest.mark.parametrize("seed", range(5))
def test_restarts_from_checkpoints_change_nothing(seed):
    stream = wild_stream(seed)
    rng = random.Random(seed)
    made, saved, at = session(), b"", 0
    position = 0
    while position < len(stream):
        made.feed(stream[position])
        position += 1
        if rng.random() < 0.1:
            saved, at = checkpoint.dump(made, model="m", token=1, last_id="1-0"), position
        if saved and rng.random() < 0.05:  # killed: what came after the checkpoint is read again
            made, position = session(), at
            checkpoint.restore(made, saved, model="m")
    assert outcome(made) == outcome(replay(stream))


def before_messages(text: str) -> bytes:
    """A checkpoint of format 1, in which the reason of a failure was a sentence."""
    made = replay([entry(sample(0)), entry(sample(100, POISON)), entry(sample(400))])
    old = msgspec.msgpack.decode(checkpoint.dump(made, model="m", token=1, last_id="1-0"))
    old["book"]["failure"] = text
    return msgspec.msgpack.encode(old | {"format": 1})


def test_a_checkpoint_of_the_format_before_is_taken_over():
    made = session()
    checkpoint.restore(made, before_messages("diverged at t = 3 s"), model="m")
    assert (made.status, made.record.epoch, made.reason()) == ("failed", 1, "diverged at t = 3 s")
    assert made.record.failure.code == "twin.stopped"
    made = session()
    checkpoint.restore(made, before_messages(""), model="m")
    assert (made.status, made.reason()) == ("synced", "")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "unreadable"),
        (msgspec.msgpack.encode({"format": 3}), "format 3, but format 2 is expected"),
        (b"\xff\x00nonsense", "unreadable"),
        (checkpoint.dump(replay([entry(sample(0))]), model="another", token=1, last_id="1-0"), "another"),
    ],
)
def test_a_checkpoint_that_cannot_be_used_says_why(data, reason):
    with pytest.raises(checkpoint.BadCheckpoint, match=reason):
        checkpoint.restore(session(), data, model="m")


def test_the_model_version_tells_parameters_apart():
    assert checkpoint.model_version("a", {"x": 1, "y": 2}) == checkpoint.model_version("a", {"y": 2, "x": 1})
    assert checkpoint.model_version("a", {"x": 1}) != checkpoint.model_version("a", {"x": 2})


def test_a_frame_says_what_a_value_rests_on():
    made = replay([entry(sample(ms, 1.0)) for ms in range(0, 400, 20)])
    flags = dict(zip((channel.name for channel in CHANNELS), made.arrays().flags, strict=True))
    assert flags["crank.angle"] & (frames.FUSED | frames.GIVEN) == frames.FUSED
    assert flags["valve.command"] & (frames.FUSED | frames.GIVEN) == frames.GIVEN
    assert flags["valve.spool"] & (frames.FUSED | frames.GIVEN) == 0
    made.feed(Tick(T0 + 2_000 * MS, T0))
    assert made.status == "coasting"
    assert not any(flag & (frames.FUSED | frames.GIVEN) for flag in made.arrays().flags)


def test_findings_carry_machine_time():
    made = replay([entry(sample(ms, 1.0)) for ms in range(0, 400, 20)])
    health, (stuck, again) = made.health()
    assert health == frames.Health(0.9, 0.7, 1.4)
    assert (stuck.kind, stuck.channel, stuck.since) == ("stuck", "hose.p", T0 + 1_500 * MS)
    assert stuck.text == "Hose pressure sensor stuck at 30 bar (contradicts the other sensors)"
    assert (again.since, again.values) == (T0 + 1_700 * MS, {"times": 3, "since": T0})
    began = datetime.fromtimestamp(T0 / 1e6, UTC)
    assert again.text.endswith(f"restarted from the sensors (3rd time since {began:%Y-%m-%d %H:%M} UTC)")
    assert replay([entry(sample(0, REFUSED))]).health() == (None, [])
