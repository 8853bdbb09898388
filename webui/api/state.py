"""Converts a frame for programs: gives the numbers of each channel by name, instead of packed arrays."""

import math
from typing import Any

from twin.fleet.models import Machine
from twin.runtime import frames
from twin.runtime.frames import Frame
from webui.fleet.last_frames import Seen

_NUMBERS = {  # name -> array and flag of a frame
    "value": ("value", frames.VALUE),
    "sigma": ("sigma", frames.SIGMA),
    "measured": ("measured", frames.MEASURED),
    "uncorrected": ("uncorrected", frames.UNCORRECTED),
    "innovation": ("innovation", frames.INNOVATION),
    "innovation_sigma": ("spread", frames.INNOVATION),
}


def describe_state(machine: Machine, seen: Seen) -> dict[str, Any]:
    """Return the last state of a machine's twin; values are null if there is no state."""
    frame = seen.frame
    table = machine.channels()
    columns = _columns(frame, len(table))
    return {
        "machine": machine.pk,
        "status": seen.status,
        "reason": frame.reason if frame else "",
        "code": frame.code if frame else "",
        "values": frame.values if frame else {},
        "failures": frame.failures if frame else 0,
        "retry_s": frame.retry_s if frame else 0,
        "epoch": frame.epoch if frame else None,
        "seq": frame.seq if frame else None,
        "t": frame.t if frame else None,
        "t_sample": (frame.t_sample or None) if frame else None,
        "age_s": seen.age_s,
        "health": frame.health if frame else None,
        "findings": frame.findings if frame else [],
        "doubts": frame.doubts if frame else [],
        "channels": [
            {"name": channel.name, "unit": channel.unit, "role": channel.role}
            | {name: column[k] for name, column in columns.items()}
            for k, channel in enumerate(table)
        ],
    }


def _columns(frame: Frame | None, count: int) -> dict[str, list[Any]]:
    """Return numbers and origins by channel.

    A frame of another length is older than a change of the model.
    """
    if frame is None or len(frame.flags) != count:
        return {name: [None] * count for name in ("origin", *_NUMBERS)}
    found: dict[str, list[Any]] = {"origin": [_origin(flags) for flags in frame.flags]}
    for name, (array, bit) in _NUMBERS.items():
        found[name] = [_number(x) for x in frames.unpack(getattr(frame, array), frame.flags, bit)]
    return found


def _origin(flags: int) -> str | None:
    if not flags & frames.VALUE:
        return None
    if flags & frames.GIVEN:
        return "measured"
    return "estimated" if flags & frames.FUSED else "simulated"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
