"""Lives of welds, hoses and envelopes against hand-worked numbers, and the sums of their damage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.errors import BadChannel, BadParameter
from simcore.model.quantity import Quantity, assumed, standard
from simcore.wear.counters import CycleCounters
from simcore.wear.hoses import Hose, PressureEnvelope
from simcore.wear.miner import HotSpot, damage_table, damages
from simcore.wear.sn_curve import SNCurve, dnv_rp_c203, en_1993_1_9
from tests.unit.wear.counting import channel

EN_80 = en_1993_1_9(standard(80e6, "Pa"))
HOSE = Hose("boom", assumed(28e6, "Pa"))
histories = st.lists(st.integers(-400, 400), min_size=2, max_size=100)


def life(line: SNCurve | Hose | PressureEnvelope, load: float) -> float:
    damage = float(line.damage(np.array([load]))[0])
    return 1.0 / damage if damage else math.inf


# docs/methods/wear-counting.md works these by hand for class 80
@pytest.mark.parametrize(
    ("range_mpa", "cycles"),
    [
        (160.0, 2e6 / 8),  # twice the class, m = 3
        (80.0, 2e6),
        (80.0 * 0.4 ** (1 / 3), 5e6),  # the knee, 58.94 MPa
        (40.0, 5e6 * (58.9445 / 40.0) ** 5),  # beyond it, m = 5: 3.47e7
        (80.0 * 0.4 ** (1 / 3) * 0.05**0.2, 1e8),  # the cut-off, 32.38 MPa
        (32.3, math.inf),
        (0.0, math.inf),
    ],
)
def test_en_1993_1_9_by_hand(range_mpa: float, cycles: float) -> None:
    assert life(EN_80, range_mpa * 1e6) == pytest.approx(cycles, rel=2e-6)


def test_knee_and_cut_off_are_the_factors_that_the_standard_prints() -> None:
    assert EN_80.knee_range / 80e6 == pytest.approx(0.737, abs=5e-4)
    assert EN_80.cut_off_range / EN_80.knee_range == pytest.approx(0.549, abs=5e-4)
    assert EN_80.cut_off_range / 80e6 == pytest.approx(0.405, abs=5e-4)


# DNV-RP-C203, Table 2-1, curve D in air: log a1 = 12.164 (m = 3), log a2 = 15.606 (m = 5), 52.63 MPa at 1e7
@pytest.mark.parametrize(
    ("range_mpa", "log_a", "m"), [(100.0, 12.164, 3), (60.0, 12.164, 3), (40.0, 15.606, 5)]
)
def test_curve_d_of_dnv_is_class_90(range_mpa: float, log_a: float, m: int) -> None:
    d = dnv_rp_c203(standard(90e6, "Pa"))
    assert life(d, range_mpa * 1e6) == pytest.approx(10**log_a / range_mpa**m, rel=5e-3)
    assert d.knee_range / 1e6 == pytest.approx(52.63, rel=1e-3)
    assert d.cut_off_range == 0.0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("detail_class", 0.0, "detail_class = 0 Pa: must be more than zero and finite"),
        ("detail_class", math.inf, "detail_class = inf Pa: must be more than zero and finite"),
        ("slope", -3.0, "slope = -3: must be more than zero and finite: longer lives have smaller ranges"),
        ("slope", 0.0, "slope = 0: must be more than zero and finite: longer lives have smaller ranges"),
        (
            "knee",
            1e6,
            "knee = 1e+06 cycles: must be at least 2e+06 cycles, where the class is given, and finite",
        ),
        ("slope_beyond", 2.0, "slope_beyond = 2: must be at least slope = 3, and finite"),
        ("cut_off", 1e6, "cut_off = 1e+06 cycles: must be at least knee = 5e+06 cycles, and finite"),
        ("cut_off", math.nan, "cut_off = nan cycles: must be at least knee = 5e+06 cycles, and finite"),
    ],
)
def test_an_impossible_curve_is_refused(field: str, value: float, message: str) -> None:
    fields: dict[str, Quantity] = {
        "detail_class": standard(80e6, "Pa"),
        "slope": standard(3.0, ""),
        "knee": standard(5e6, "cycles"),
        "slope_beyond": standard(5.0, ""),
        "cut_off": standard(1e8, "cycles"),
    }
    fields[field] = standard(value, fields[field].unit)
    with pytest.raises(BadParameter) as error:
        SNCurve("weld", **fields)
    assert str(error.value) == f"S-N curve 'weld': {message}"


# docs/methods/wear-counting.md: a hose rated 28 MPa
@pytest.mark.parametrize(
    ("share", "cycles"), [(4.0, 1.0), (2.0, 2173.0), (1.33, 2e5), (1.0, 4.720e6), (0.5, 1.0255e10)]
)
def test_sae_j1927_by_hand(share: float, cycles: float) -> None:
    assert life(HOSE, share * 28e6) == pytest.approx(cycles, rel=5e-4)


def test_the_slope_of_sae_j1927() -> None:
    assert HOSE.slope == pytest.approx(11.1, abs=0.05)


def test_surges_that_j1927_does_not_cover_are_counted() -> None:
    counts = np.zeros(101)
    counts[[50, 56, 57, 80]] = 5, 7, 2, 1  # quanta of 1 MPa: 56 MPa is twice the rating
    assert HOSE.beyond(counts, 1e6) == 3


def test_an_envelope_endures_its_rating_for_its_cycles() -> None:
    envelope = PressureEnvelope("tube", assumed(25e6, "Pa"), assumed(1e7, "cycles"), assumed(4.0, "1"))
    assert life(envelope, 25e6) == pytest.approx(1e7)
    assert life(envelope, 50e6) == pytest.approx(1e7 / 16)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Hose("h", assumed(0.0, "Pa")),
            "hose 'h': rated_pressure = 0 Pa: must be more than zero and finite",
        ),
        (
            lambda: PressureEnvelope("e", assumed(1e7, "Pa"), slope=assumed(-1.0, "1")),
            "envelope 'e': slope = -1 1: must be more than zero and finite",
        ),
        (
            lambda: HotSpot("weld", "x", assumed(0.0, "Pa/N"), EN_80),
            "hot spot 'weld': per_unit = 0 Pa/N: must be finite and not zero",
        ),
    ],
)
def test_impossible_parts_are_refused(make: object, message: str) -> None:
    with pytest.raises(BadParameter) as error:
        make()  # type: ignore[operator]
    assert str(error.value) == message


def test_a_hot_spot_of_an_unknown_channel_is_refused() -> None:
    with pytest.raises(BadChannel, match="hot spot 'weld': channel = 'y': must be one of x"):
        damages(CycleCounters([channel()]), [HotSpot("weld", "y", assumed(1e6, "Pa/N"), EN_80)])


def test_damage_by_hand() -> None:
    """10 closed cycles of 160 MPa and 3 of 40 MPa in class 80, within an open one of 320 MPa."""
    counters = CycleCounters([channel()])
    history = [0, 320, *([160, 320] * 10), *([280, 320] * 3), 0]  # 1 MPa per N
    counters.count(np.array(history, dtype=float)[:, None])
    spot = HotSpot("weld", "x", assumed(1e6, "Pa/N"), EN_80)
    by_hand = 10 / 2.5e5 + 3 / (5e6 * (58.9445 / 40.0) ** 5)
    assert damages(counters, [spot])[0] == pytest.approx(by_hand, rel=2e-6)
    half = by_hand + 2 * 0.5 / (2e6 * (80.0 / 320.0) ** 3)  # 0 to 320 and back: two half cycles
    assert damages(counters, [spot], open_cycles=True)[0] == pytest.approx(half, rel=2e-6)


@settings(deadline=None)
@given(histories, histories)
def test_miner_sums_add_up(first: list[int], second: list[int]) -> None:
    spot = HotSpot("weld", "x", assumed(-0.5e6, "Pa/N"), EN_80)
    parts = []
    for history in (first, second):
        counters = CycleCounters([channel()])
        counters.count(np.array(history, dtype=float)[:, None])
        parts.append(counters)
    both = parts[0].counts(0) + parts[1].counts(0)
    table = damage_table(spot, channel())
    assert np.dot(both, table) == pytest.approx(sum(damages(part, [spot])[0] for part in parts), rel=1e-12)


@settings(deadline=None)
@given(histories)
def test_the_table_is_exact_for_a_quantised_signal(history: list[int]) -> None:
    counters = CycleCounters([channel(quantum=0.5)])
    counters.count(0.5 * np.array(history, dtype=float)[:, None])
    spot = HotSpot("hose", "x", assumed(2e5, "Pa/N"), HOSE)
    seen = counters.counts(0)
    by_cycle = sum(n * (0.5 * k * 2e5 / 112e6) ** HOSE.slope for k, n in enumerate(seen.tolist()) if n)
    assert damages(counters, [spot])[0] == pytest.approx(by_cycle, rel=1e-12, abs=0.0)
