"""The cases and machines by name. Imports neither numba nor scipy."""

from functools import cache

from simcore.cases.case import Case, Parameter
from simcore.cases.chain import CHAIN
from simcore.cases.crane import CRANE
from simcore.cases.digger_rig import DIGGER_RIG
from simcore.cases.four_bar_a import FOUR_BAR_A
from simcore.cases.four_bar_b import FOUR_BAR_B
from simcore.cases.four_bar_free import FOUR_BAR_FREE
from simcore.cases.quick_return import QUICK_RETURN
from simcore.cases.rahikainen import RAHIKAINEN_A, RAHIKAINEN_B
from simcore.cases.valve_rig import VALVE_RIG
from simcore.errors import UnknownCase

__all__ = ["Case", "Parameter", "get", "names"]

_PUBLISHED = (FOUR_BAR_B, FOUR_BAR_A, QUICK_RETURN, RAHIKAINEN_A, RAHIKAINEN_B, CRANE, VALVE_RIG)
_CASES = {case.name: case for case in (*_PUBLISHED, CHAIN, FOUR_BAR_FREE, DIGGER_RIG)}


@cache
def _all() -> dict[str, Case]:
    """Cases, then machines, which are built on them and so come in late."""
    from simcore.machines import catalogue

    return _CASES | {model.name: model for model in catalogue.models()}


def names() -> tuple[str, ...]:
    return tuple(_all())


def get(name: str) -> Case:
    """The case or machine of that name."""
    if name not in _all():
        raise UnknownCase(f"unknown case {name!r}; known: {', '.join(_all())}")
    return _all()[name]
