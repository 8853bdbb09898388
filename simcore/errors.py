"""Errors that a user of simcore can act on."""

from __future__ import annotations

from collections.abc import Mapping

from simcore.messages import Message, english, quantity_text


class SimcoreError(ValueError):
    """Something given to simcore is wrong; the message says what and what would be right."""


class UnknownCase(SimcoreError):
    """No case of that name exists."""


class BadParameter(SimcoreError):
    """A case was given a parameter it does not have, or a value outside its range."""


class BadMachine(SimcoreError):
    """The description of a machine contradicts itself or physics."""


class BadChannel(SimcoreError):
    """A reading names an unknown channel, or is not a finite number."""


class BadSensor(SimcoreError):
    """A sensor's definition is impossible or does not fit its machine."""


class ForeignDump(SimcoreError):
    """A dump belongs to another machine, another step or another version of the engine."""


class Diverged(SimcoreError):
    """The state stopped being finite or a step found no solution.

    time, s; message: its code says what could not be continued; last: the channels in the last good state, by
    name.
    """

    def __init__(self, time: float, what: Message, last: Mapping[str, float] | None = None) -> None:
        self.message = Message(what.code, {**what.values, "time": time})
        super().__init__(english(self.message, detail=True))
        self.time = time
        self.quantity = quantity_text(what)
        self.last = dict(last or {})


class Refused(Diverged):
    """A correction that leads nowhere; the twin stands where it would without it."""
