"""The scripted operator: a pure function that goes where it is told, eases, pauses and begins again."""

from __future__ import annotations

from itertools import pairwise

import pytest

from simcore.operate.script import Lever, OperatorState, Phase, Script, commands, decide, start

_LEVER = Lever("lift", "boom.angle", "lift.command", ease=0.2, near=0.01, least=0.2, hand=10.0)
_DT = 0.02


def _script(*phases: Phase) -> Script:
    return Script("work", (_LEVER, Lever("slew", "slew.angle", "slew.command", sign=-1)), phases)


def _follow(
    script: Script, seconds: float
) -> tuple[list[OperatorState], list[dict[str, float]], list[float]]:
    """A boom that turns as fast as its lever says, rad/s."""
    state, angle, states, levers, angles = start(script), 0.0, [], [], []
    for k in range(round(seconds / _DT)):
        state, stroke = decide(script, state, k * _DT, {"boom.angle": angle, "slew.angle": 0.0})
        angle += stroke["lift"] * _DT
        states.append(state)
        levers.append(stroke)
        angles.append(angle)
    return states, levers, angles


def test_it_arrives_and_holds_still() -> None:
    states, levers, angles = _follow(_script(Phase("up", {"lift": 0.5}, pause=2.0)), 2.0)
    assert abs(angles[-1] - 0.5) < 0.03
    assert levers[-1] == {"lift": 0.0, "slew": 0.0}
    assert states[-1].arrived is not None


def test_levers_stay_in_their_range_and_move_no_faster_than_a_hand() -> None:
    _, levers, _ = _follow(_script(Phase("up", {"lift": 3.0}), Phase("down", {"lift": -3.0})), 8.0)
    strokes = [0.0, *(each["lift"] for each in levers)]
    assert max(map(abs, strokes)) <= 1.0
    steps = [abs(b - a) for a, b in pairwise(strokes)]
    assert max(steps) <= _LEVER.hand * _DT + 1e-12


def test_near_its_target_the_lever_is_eased() -> None:
    script = _script(Phase("up", {"lift": 1.0}))
    state = OperatorState(strokes=(1.0, 0.0), at=1.0)
    far = decide(script, state, 1.02, {"boom.angle": 0.0, "slew.angle": 0.0})[1]["lift"]
    close = decide(script, state, 2.0, {"boom.angle": 0.9, "slew.angle": 0.0})[1]["lift"]
    assert far == 1.0
    assert close == pytest.approx(0.5)


def test_a_lever_may_work_the_other_way_round() -> None:
    _, levers = decide(_script(Phase("turn", {"slew": 1.0})), start(_script(Phase("turn"))), 0.5,
                       {"boom.angle": 0.0, "slew.angle": 0.0})  # fmt: skip
    assert levers["slew"] < 0


def test_phases_follow_each_other_and_the_work_begins_again() -> None:
    script = _script(
        Phase("up", {"lift": 0.3}, pause=0.2, load=500.0), Phase("down", {"lift": 0.0}, load=1.0)
    )
    states, _, _ = _follow(script, 6.0)
    assert {state.phase for state in states} == {0, 1}
    assert states[-1].rounds >= 2
    first_down = next(state for state in states if state.phase == 1)
    assert first_down.load == 500.0
    assert next(state for state in states if state.rounds == 1).load == 1.0


def test_time_runs_out_and_conditions_end_a_phase() -> None:
    stuck = _script(Phase("pull", {"lift": 99.0}, timeout=0.5), Phase("rest", pause=9.0))
    assert _follow(stuck, 1.0)[0][-1].phase == 1
    full = _script(
        Phase("dig", strokes={"lift": 0.5}, until=lambda r: r["boom.angle"] > 0.2), Phase("rest", pause=9)
    )
    states, _, angles = _follow(full, 1.0)
    assert states[-1].phase == 1
    assert 0.2 < max(angles) < 0.3


def test_what_is_read_may_change_the_levers() -> None:
    def careful(readings: object, levers: dict[str, float]) -> dict[str, float]:
        return {name: 0.5 * stroke for name, stroke in levers.items()}

    _, levers, _ = _follow(_script(Phase("up", {"lift": 5.0}, adjust=careful)), 1.0)
    assert levers[-1]["lift"] == pytest.approx(0.5)


def test_the_same_readings_give_the_same_answer() -> None:
    script, state = _script(Phase("up", {"lift": 1.0})), OperatorState(strokes=(0.1, 0.0), at=0.98)
    readings = {"boom.angle": 0.4, "slew.angle": 0.0}
    assert decide(script, state, 1.0, readings) == decide(script, state, 1.0, readings)


def test_commands_are_levers_scaled_to_their_valves() -> None:
    given = commands(_script(Phase("up")), {"lift": -0.5, "slew": 0.25})
    assert given == {"lift.command": -5.0, "slew.command": 2.5}
