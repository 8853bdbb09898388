"""Converts numbers to the units that the user chose. Storage, frames and API use SI units.

The units are defined in units.json, which the browser reads, too.
"""

import json
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest

from simcore.machines.quality.scale import number_text
from twin.preferences.services import preference_of
from webui.words import with_separator

System = Literal["metric", "us"]
SYSTEMS: tuple[System, ...] = get_args(System)

_TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("units.json").read_text(encoding="utf-8"))


class Display(NamedTuple):
    """How to show a quantity: the SI value times a factor, with this number of decimals."""

    unit: str
    factor: float
    decimals: int


def units_of(request: HttpRequest) -> System:
    return units_for(request.user)


def units_for(user: AbstractBaseUser | AnonymousUser) -> System:
    """Return the person's choice of units; metric if no one is signed in."""
    return cast(System, preference_of(user).units)


def display_of(quantity: str, system: System) -> Display:
    found = _TABLE["quantities"][quantity][system]
    return Display(found["unit"], found["factor"], found["decimals"])


def quantity_text(value: float, quantity: str, system: System) -> str:
    """Return an SI value as text in the shown unit, such as 182.0 bar."""
    unit, factor, decimals = display_of(quantity, system)
    number = f"{value * factor:,.{decimals}f}".replace(",", "\u2009").replace("-", "−")
    return f"{with_separator(number)} {unit}"


def shown_unit(unit: str, system: System = "metric") -> str:
    """Return the unit in which a parameter is shown; empty for a number without a unit."""
    return _parameter(unit, system)[0].removeprefix("-")


def shown_number(value: float | str, unit: str, system: System = "metric") -> str:
    """Return the number that is shown for a parameter."""
    if isinstance(value, str):
        return value
    number = value * _parameter(unit, system)[1]
    text = f"{number:.4g}" if 1e-3 <= abs(number) < 1e4 else number_text(number)
    return with_separator(text).replace("-", "−")


def _parameter(unit: str, system: System) -> tuple[str, float]:
    known = _TABLE["parameters"].get(unit)
    return (known[system][0], known[system][1]) if known else (unit, 1.0)
