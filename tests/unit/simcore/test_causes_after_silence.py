"""A silence neither names a cause nor lets one go: only judgements count as evidence."""

from __future__ import annotations

import numpy as np

from simcore import registry
from simcore.estimate.biases import DELIVERY
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.model.workspace import Array

SILENCE = 30.0


def pump_cause() -> tuple[LiveTwin, Array, Array]:
    """An excavator's twin, biases with a pump that delivers too little, and a covariance sure of it."""
    twin = LiveTwin(registry.get("excavator").build())
    values = twin._unbiased.copy()
    values[twin.biases["kind"] == DELIVERY] -= 0.2
    return twin, values, 1e-4 * np.eye(len(twin.covariance))


def codes(twin: LiveTwin, values: Array) -> list[str]:
    return [named.message.code for named in twin.causes.named(values)]


def test_a_cause_is_not_named_by_a_silence() -> None:
    twin, values, sure = pump_cause()
    twin.causes.update(0.0, values, sure, np.nan)
    twin.causes.update(SILENCE, values, sure, np.nan)
    assert codes(twin, values) == []
    for t in range(1, 6):
        twin.causes.update(SILENCE + t, values, sure, np.nan)
    assert codes(twin, values) == ["cause.pump.low"]


def test_a_named_cause_does_not_go_in_a_silence() -> None:
    twin, values, sure = pump_cause()
    for t in range(8):
        twin.causes.update(float(t), values, sure, np.nan)
    twin.causes.update(8.0, twin._unbiased, sure, np.nan)  # one judgement against it
    twin.causes.update(8.0 + SILENCE, twin._unbiased, sure, np.nan)
    assert codes(twin, values) == ["cause.pump.low"]
