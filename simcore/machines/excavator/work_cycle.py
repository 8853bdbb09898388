"""Poses that the excavator must reach, a command schedule for benchmarks, and a dig-swing-dump work cycle."""

from __future__ import annotations

import math
from collections.abc import Callable

from simcore.machines.excavator.choices import equipped
from simcore.machines.reach import Poses
from simcore.model.case import Chosen, CommandSchedule
from simcore.operate.script import Lever, Phase, Readings, Script

_RAISED, _LOWERED = math.radians(55.0), math.radians(-40.0)
_OUT, _IN = math.radians(-40.0), math.radians(-150.0)
_OPEN, _CURLED = math.radians(38.0), math.radians(-140.0)


def poses(chosen: Chosen) -> Poses:
    """Corners of the work space."""
    return {
        "full reach": {"boom": 0.1, "dipper": _OUT, "bucket": _OPEN},
        "boom raised": {"boom": _RAISED, "dipper": _IN, "bucket": _CURLED},
        "boom lowered": {"boom": _LOWERED, "dipper": _OUT, "bucket": _OPEN},
        "dipper in": {"boom": 0.3, "dipper": _IN, "bucket": _CURLED},
    }


# strokes of all functions above the ground, for benchmarks
COMMAND_SCHEDULE: CommandSchedule = (
    (0.0, {"boom.command": 0.0, "dipper.command": 0.0, "bucket.command": 0.0, "swing.command": 0.0}),
    (0.5, {"boom.command": 6.0}),
    (2.5, {"boom.command": 0.0, "dipper.command": -5.0}),
    (4.0, {"dipper.command": 0.0, "swing.command": 8.0}),
    (7.0, {"swing.command": 0.0, "bucket.command": -6.0}),
    (8.5, {"bucket.command": 6.0}),
    (10.0, {"bucket.command": 0.0, "swing.command": -8.0}),
    (13.0, {"swing.command": 0.0, "dipper.command": 5.0}),
    (14.5, {"dipper.command": 0.0, "boom.command": -4.0}),
    (16.0, {"boom.command": 0.0}),
)

Adjust = Callable[[Readings, dict[str, float]], dict[str, float]]
LEVERS = (
    Lever("swing", "swing.angle", "swing.command", ease=0.55, near=0.1, least=0.08, hand=4.0),
    Lever("boom", "boom.angle", "boom.command", ease=0.12, near=0.03, least=0.12, hand=4.0),
    Lever("dipper", "dipper.angle", "dipper.command", ease=0.2, near=0.04, least=0.12, sign=-1, hand=4.0),
    Lever("bucket", "bucket.angle", "bucket.command", ease=0.3, near=0.06, least=0.15, sign=-1, hand=4.0),
)
_DUMP_SWING = 1.57  # rad to the truck or hopper
_DUMP_BOOM = 0.80  # rad, clear of its rim
_BEGIN = -1.05  # rad, dipper where digging begins
_END = -2.15  # where it ends
_TEETH = -1.35  # rad to the horizontal, line from hinge to teeth when they enter the ground
_HELD = -2.9  # the same when the bucket holds its soil
_DEPTH = 0.40  # depth of a cut over the bucket's radius
_RISE = 6.0  # boom strokes per metre too deep
_HARD = 3.0e7  # Pa at the pump, above which the operator digs less deep
_BRAKES = 0.40  # rad/s², braking that the operator expects of the swing
_SWING = 0.6  # largest stroke of the swing lever
_HAND = 0.2  # s, delay of lever and spool
_GENTLE = 0.2  # rad, within which the stroke of the swing lever falls


def edge_height(chosen: Chosen) -> Callable[[Readings], float]:
    """Height of the teeth above the ground under the tracks, m, computed from the measured angles."""
    foot = chosen.number("ring_height") + chosen.number("boom_foot_y")
    lengths = [chosen.number(name) for name in ("boom_length", "dipper_length", "bucket_radius")]

    def height(readings: Readings) -> float:
        turn, total = 0.0, foot
        for name, length in zip(("boom", "dipper", "bucket"), lengths, strict=True):
            turn += readings[f"{name}.angle"]
            total += length * math.sin(turn)
        return total

    return height


def _boom_at(chosen: Chosen, height: float) -> float:
    """Boom angle that places the teeth at the height where digging begins, found by bisection."""
    foot = chosen.number("ring_height") + chosen.number("boom_foot_y")
    boom, arm = chosen.number("boom_length"), chosen.number("dipper_length")
    teeth = chosen.number("bucket_radius") * math.sin(_TEETH)
    low, high = _LOWERED, _RAISED
    for _ in range(40):
        middle = 0.5 * (low + high)
        there = foot + boom * math.sin(middle) + arm * math.sin(middle + _BEGIN) + teeth
        low, high = (middle, high) if there < height else (low, middle)
    return 0.5 * (low + high)


def _keep_depth(height: Callable[[Readings], float], level: float) -> Adjust:
    """Raise the boom if the teeth are too deep or the pump is overloaded; lower it if they are too high."""

    def adjust(readings: Readings, levers: dict[str, float]) -> dict[str, float]:
        labour = max(readings["pump.p"] - _HARD, 0.0) / 4e6
        boom = _RISE * (level - height(readings)) + labour
        return levers | {"boom": max(-0.25, min(1.0, boom))}

    return adjust


def _brake_in_time(target: float) -> Adjust:
    """Release the swing lever early enough for the carriage to stop at the target."""

    def adjust(readings: Readings, levers: dict[str, float]) -> dict[str, float]:
        speed = readings["swing.rate"]
        left = target - readings["swing.angle"] - 0.5 * speed * abs(speed) / _BRAKES - _HAND * speed
        return levers | {"swing": max(-_SWING, min(_SWING, left / _GENTLE))}

    return adjust


def dig_swing_dump(given: Chosen) -> Script:
    """Reach out, cut towards the machine at a constant depth, curl, lift, swing, dump and come back."""
    chosen = equipped(given)
    height, ground = edge_height(chosen), chosen.number("ground_level")
    depth, full = _DEPTH * chosen.number("bucket_radius"), 0.97 * chosen.number("bucket_volume")

    def is_in(readings: Readings) -> bool:
        return ground - height(readings) > 0.5 * depth

    def is_through(readings: Readings) -> bool:
        return readings["dipper.angle"] < _END or readings.get("bucket.fill", 0.0) > full

    def is_curled(readings: Readings) -> bool:
        return sum(readings[f"{name}.angle"] for name in ("boom", "dipper", "bucket")) < _HELD

    above = _boom_at(chosen, ground + 0.3)
    ready = {"swing": 0.0, "boom": above, "dipper": _BEGIN, "bucket": _TEETH - above - _BEGIN}
    there = {"swing": _DUMP_SWING, "boom": _DUMP_BOOM}
    cut = _keep_depth(height, ground - depth)
    phases = (
        Phase("reach", ready),
        Phase("sink", strokes={"boom": -0.3}, until=is_in, timeout=3.0),
        Phase("dig", strokes={"dipper": 1.0, "bucket": 0.2}, until=is_through, adjust=cut, timeout=8.0),
        Phase("curl", {"bucket": _CURLED}, strokes={"boom": 0.7}, until=is_curled, timeout=3.0),
        Phase("swing out", there, adjust=_brake_in_time(_DUMP_SWING), timeout=8.0),
        Phase("dump", {"bucket": 0.2, "dipper": -1.3}, pause=0.5, timeout=5.0),
        Phase("swing back", ready, adjust=_brake_in_time(0.0), timeout=8.0),
    )
    return Script("dig-swing-dump", LEVERS, phases)


CYCLES = {"dig-swing-dump": dig_swing_dump}
