"""simcore as a library: inputs of every kind, samples, books and divergence."""

import math

import numpy as np
import pytest

from simcore import Run, Simulation, registry
from simcore.errors import BadChannel, Diverged, SimcoreError
from simcore.run.inputs import schedule_inputs

MACHINE = registry.get("four-bar-b").build()


def _run(seconds: float = 0.5, dt: float = 1e-3, **settings: object) -> Run:
    return Simulation(MACHINE, dt=dt).run(seconds, **settings)  # type: ignore[arg-type]


def test_samples_are_those_of_steps_taken_one_by_one() -> None:
    done = _run(0.2, inputs={"valve.command": 3.0}, sample_dt=0.05)
    plain = Simulation(MACHINE, dt=1e-3)
    plain.command({"valve.command": 3.0})
    assert done.t == pytest.approx([0.0, 0.05, 0.1, 0.15, 0.2])
    for row in range(1, 5):
        plain.advance(50)
        for name, value in plain.outputs().items():
            assert done[name][row] == value, name
    assert done.units["cylinder.p_A"] == "Pa"
    assert done.lengths[-1, 0] == plain.outputs()["cylinder.length"]


def test_a_run_that_does_not_end_on_a_sample_ends_with_one() -> None:
    done = _run(0.1, sample_dt=0.03)
    assert done.t == pytest.approx([0.0, 0.03, 0.06, 0.09, 0.1])
    assert len(done["crank.angle"]) == 5
    assert np.all(done["cylinder.p_A"] > 0)


def test_runs_go_on_where_the_last_one_ended() -> None:
    sim = Simulation(MACHINE)
    first, second = sim.run(0.1, {"valve.command": 2.0}), sim.run(0.1)
    whole = _run(0.2, inputs={"valve.command": 2.0})
    assert second.t[0] == first.t[-1] == pytest.approx(0.1)
    assert second["crank.angle"][-1] == whole["crank.angle"][-1]
    assert first.energy["work_J"] + second.energy["work_J"] == pytest.approx(whole.energy["work_J"])
    assert first.energy["work_J"] != second.energy["work_J"]


def test_a_constant_a_function_and_a_table_say_the_same() -> None:
    table = _run(inputs={"valve.command": ([0.0, 0.1, 0.3], [0.0, 5.0, -2.0])})
    function = _run(inputs={"valve.command": lambda t: 0.0 if t < 0.1 else 5.0 if t < 0.3 else -2.0})
    assert np.array_equal(table["crank.angle"], function["crank.angle"])
    assert np.array_equal(
        _run(inputs={"valve.command": 4.0})["hose.p"], _run(inputs={"valve.command": lambda t: 4.0})["hose.p"]
    )


def test_a_function_of_time_is_followed_with_second_order() -> None:
    def end(dt: float) -> float:
        return float(
            _run(0.4, dt, inputs={"valve.command": lambda t: 4 * math.sin(5 * t)})["crank.angle"][-1]
        )

    exact = end(2.5e-5)
    assert 3.0 < (end(2e-3) - exact) / (end(1e-3) - exact) < 5.5


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        (2.0, [[0, 2.0, 7.0]]),
        (([0.0, 0.25], [1.0, 2.0]), [[0, 1.0, 7.0], [3, 2.0, 7.0]]),  # from the first step at or after it
        (([0.2], [1.0]), [[2, 1.0, 7.0]]),  # before it: what was held
        (([-1.0, -0.5, 0.3], [1.0, 2.0, 3.0]), [[0, 2.0, 7.0], [3, 3.0, 7.0]]),
        (lambda t: 1.0 if t < 0.35 else 3.0, [[0, 1.0, 7.0], [3, 3.0, 7.0]]),  # asked at 0.05, 0.15, ...
    ],
)
def test_inputs_are_laid_out_by_step(given: object, rows: list) -> None:
    found = schedule_inputs({"a": given}, {"a": 9.0, "b": 7.0}, begin=0, steps=5, dt=0.1)  # type: ignore[dict-item]
    assert found.tolist() == rows


def test_later_runs_see_later_parts_of_a_table() -> None:
    found = schedule_inputs({"a": ([0.0, 0.2, 0.4], [1.0, 2.0, 3.0])}, {"a": 0.0}, begin=3, steps=5, dt=0.1)
    assert found.tolist() == [[0, 2.0], [1, 3.0]]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"valve.comand": 1.0}, "unknown channel 'valve.comand'; known: crank.angle"),
        ({"hose.p": 1.0}, "channel 'hose.p' is not an input"),
        ({"valve.command": math.nan}, "input 'valve.command': nan is not a finite number"),
        ({"valve.command": "up"}, "input 'valve.command': 'up' is not a finite number"),
        ({"valve.command": lambda t: math.inf}, "input 'valve.command': inf is not a finite number"),
        ({"valve.command": ([0, 1], [1])}, "2 times, 1 values: must be two lists of equal length"),
        ({"valve.command": ([0, 1, 1], [1, 2, 3])}, "each time must be later than the one before"),
        ({"valve.command": ([0, math.nan], [1, 2])}, "every time and value must be a finite number"),
        ({"valve.command": ([0, 1], ["a", "b"])}, "a table must be a pair"),
    ],
)
def test_a_bad_input_is_named(inputs: dict, message: str) -> None:
    with pytest.raises(BadChannel, match=message):
        _run(inputs=inputs)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_a_run_needs_a_length(seconds: float) -> None:
    with pytest.raises(SimcoreError, match="must be more than zero"):
        _run(seconds)


def test_a_diverging_run_keeps_and_tells_its_last_good_state() -> None:
    sim = Simulation(registry.get("four-bar-b").build(l20=0.16, crank_start=1.2))
    with pytest.raises(Diverged, match="left its tube") as caught:
        sim.run(10.0, {"valve.command": -10.0})
    assert caught.value.time == sim.time > 0
    assert caught.value.last == sim.outputs()


def test_an_unknown_channel_of_a_run_is_named() -> None:
    with pytest.raises(BadChannel, match="unknown channel 'boom'; known: crank"):
        _run(0.01)["boom"]
