"""A frame as programs read it: numbers by channel instead of packed arrays."""

import math
from typing import Any

from twin.fleet.models import Machine
from twin.runtime import frames
from twin.runtime.frames import Frame
from webui.fleet.last_frames import Seen


def describe_state(machine: Machine, seen: Seen) -> dict[str, Any]:
    """The last state of a machine's twin; null where there is none."""
    frame = seen.frame
    table = machine.channels()
    columns = zip(table, *_columns(frame, len(table)), strict=True)
    return {
        "machine": machine.pk,
        "status": seen.status,
        "reason": frame.reason if frame else "",
        "epoch": frame.epoch if frame else None,
        "seq": frame.seq if frame else None,
        "t": frame.t if frame else None,
        "t_sample": (frame.t_sample or None) if frame else None,
        "age_s": seen.age_s,
        "channels": [
            {
                "name": channel.name,
                "unit": channel.unit,
                "role": channel.role,
                "value": _number(value),
                "sigma": _number(sigma),
                "measured": _number(measured),
            }
            for channel, value, sigma, measured in columns
        ],
    }


def _columns(frame: Frame | None, count: int) -> list[Any]:
    """Values, sigmas and readings. A frame of another length is from before the machine's model changed."""
    if frame is None or len(frame.flags) != count:
        return [[math.nan] * count] * 3
    parts = (
        (frame.value, frames.VALUE),
        (frame.sigma, frames.SIGMA),
        (frame.measured, frames.MEASURED),
    )
    return [frames.unpack(numbers, frame.flags, bit) for numbers, bit in parts]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
