"""Samples to store."""

from typing import Any
from uuid import UUID

import pytest

from twin.history.columns import Taken
from twin.history.writing import Batch

T0 = 1_763_251_200_000_000
STEP_US = 20_000
DEVICE = UUID(int=7)


@pytest.fixture
def batch(story: Any) -> Any:
    """Samples first to last - 1 of a machine, one per stream entry, 50 per second."""

    def make(first: int, last: int, *, after: int | None = None, boot: str = "boot", **changes: Any) -> Batch:
        samples = [
            (k, T0 + k * STEP_US, {"hose.p": float(k), "crank.angle": 0.01 * k}) for k in range(first, last)
        ]
        begin = "0-0" if after is None else f"{after}-0"
        taken = [Taken(DEVICE, boot, samples)] if samples else []
        fields = {"machine": story.machine.pk, "after": begin, "last_id": f"{last}-0"}
        return Batch(**{**fields, "taken": taken, **changes})

    return make
