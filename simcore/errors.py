"""Exceptions for errors that a user of simcore can correct."""

from __future__ import annotations

from collections.abc import Mapping

from simcore.messages import Message, english, quantity_text


class SimcoreError(ValueError):
    """An input of simcore is wrong; the message says what is wrong and what is allowed."""


class UnknownCase(SimcoreError):
    """There is no case of the given name."""


class BadParameter(SimcoreError):
    """A parameter is unknown, or its value is not allowed."""


class BadMachine(SimcoreError):
    """The description of a machine contradicts itself or physics."""


class BadChannel(SimcoreError):
    """A channel name is unknown, or a reading is not a finite number."""


class BadSensor(SimcoreError):
    """A sensor's definition is impossible or does not fit its machine."""


class ForeignDump(SimcoreError):
    """A dump belongs to another machine, another time step or another version of the engine."""


class BadHistory(SimcoreError):
    """A part's readings, its dates or its catalogue entry contradict themselves."""


class Diverged(SimcoreError):
    """The state is no longer finite, or a step has no solution.

    time: s. message: its code says which quantity failed. last: the channels in the last good state, by name.
    """

    def __init__(self, time: float, what: Message, last: Mapping[str, float] | None = None) -> None:
        self.message = Message(what.code, {**what.values, "time": time})
        super().__init__(english(self.message, detail=True))
        self.time = time
        self.quantity = quantity_text(what)
        self.last = dict(last or {})


class Refused(Diverged):
    """A correction was impossible; the twin continues as if the sample had not arrived."""
