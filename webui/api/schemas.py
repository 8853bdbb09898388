"""Schemas of the API's responses.

Units are SI; times are microseconds since 1970 unless the name says otherwise.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Field, Schema

from simcore.estimate.monitor.finding import Doubt, Finding, Health
from simcore.messages import Value


class Problem(Schema):
    """A description of an error, according to RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    code: str
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


class Parameter(Schema):
    """One number or choice of a model, in SI units; `origin` describes its source."""

    name: str
    label: str
    group: str
    value: float | str
    default: float | str
    unit: str
    low: float | None
    high: float | None
    choices: list[str]
    origin: str
    note: str


class Check(Schema):
    """One check of a model: `value` must be from `low` to `high`; `verdict`: met, missed or not measured."""

    name: str
    question: str
    verdict: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    figure: str
    asked: str
    how: str
    code: str
    values: dict[str, Value]
    detail: dict[str, Any]


class Quality(Schema):
    """Quality of the model of the standard machine.

    `up_to_date`: its description has not changed since then.
    """

    level: str
    rule: str
    date: str
    version: str
    up_to_date: bool
    compared: str
    checks: list[Check]


class Model(Schema):
    machine: UUID
    model: str
    kind: str
    sentence: str
    version: str
    parameters: list[Parameter]
    quality: Quality | None


class Reading(Schema):
    """The present values of a channel.

    These are the twin's value with its standard deviation and origin, the sensor's last reading, the value of
    the open-loop model, and the last innovation with its standard deviation.
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


class State(Schema):
    """The state of a twin.

    `reason`: why it stopped or is behind; `code` and `values`: the same reason as data.
    """

    machine: UUID
    status: str
    reason: str
    code: str
    values: dict[str, Value]
    failures: int
    retry_s: int
    epoch: int | None
    seq: int | None
    t: int | None
    t_sample: int | None
    age_s: float | None
    health: Health | None
    findings: list[Finding]
    doubts: list[Doubt]
    channels: list[Reading]


class ChannelHistory(Schema):
    """One list per column, in the order of the times: `value` for raw samples, otherwise the summaries.

    A missing reading is null.
    """

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
