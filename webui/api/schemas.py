"""What the interface answers. Units are SI, times microseconds since 1970 unless the name says otherwise."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Field, Schema


class Problem(Schema):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, str]] | None = None


class Channel(Schema):
    name: str
    label: str
    unit: str
    quantity: str
    role: str


class MachineRow(Schema):
    id: UUID
    name: str
    model: str
    organisation: str
    status: str | None
    age_s: float | None


class Machine(Schema):
    id: UUID
    name: str
    model: str
    organisation: str
    parameters: dict[str, Any]
    created: datetime
    channels: list[Channel]
    scene: dict[str, Any]


class Reading(Schema):
    """A channel now: the twin's value with its standard deviation and its origin, the last reading of its

    sensor, the value of the model left alone, and the last innovation with its standard deviation.
    """

    name: str
    unit: str
    role: str
    value: float | None
    sigma: float | None
    measured: float | None
    origin: str | None
    uncorrected: float | None
    innovation: float | None
    innovation_sigma: float | None


class Finding(Schema):
    """What is wrong with a sensor or, without a channel, with the twin; since: machine time."""

    kind: str
    channel: str
    since: int
    text: str


class Health(Schema):
    """Mean square of normalised innovations, one expected, and the 95 % bounds of an honest filter."""

    nis: float
    low: float
    high: float


class State(Schema):
    machine: UUID
    status: str
    reason: str
    epoch: int | None
    seq: int | None
    t: int | None
    t_sample: int | None
    age_s: float | None
    health: Health | None
    findings: list[Finding]
    channels: list[Reading]


class ChannelHistory(Schema):
    """Columns beside the times: `value` of raw samples, else the others. Null where there is no reading."""

    name: str
    unit: str
    value: list[float | None] | None = None
    count: list[int | None] | None = None
    min: list[float | None] | None = None
    mean: list[float | None] | None = None
    max: list[float | None] | None = None


class History(Schema):
    machine: UUID
    from_: int = Field(alias="from")
    to: int
    resolution: str | int  # "raw", or seconds
    t: list[int]
    channels: list[ChannelHistory]
    next: str | None
