"""Converts machine descriptions to JSON and back.

Every element is stored with its class and fields, every number with its provenance.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from simcore.errors import BadMachine
from simcore.model import elements, quantity
from simcore.model.elements import Machine

_KIND = "is"
_KNOWN = {
    name: found
    for module in (elements, quantity)
    for name, found in vars(module).items()
    if isinstance(found, type) and dataclasses.is_dataclass(found)
}


def to_json(machine: Machine) -> dict[str, Any]:
    """The whole description as JSON data."""
    return dict(_plain(machine))


def from_json(data: dict[str, Any]) -> Machine:
    """The machine that the data describes; it is not checked yet."""
    found = _element(data, "machine")
    if not isinstance(found, Machine):
        raise BadMachine(f"top element is a {type(found).__name__}: must be a Machine")
    return found


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {_KIND: type(value).__name__, **fields}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def _element(data: Any, path: str) -> Any:
    if isinstance(data, list):
        return tuple(_element(each, f"{path}[{k}]") for k, each in enumerate(data))
    if not isinstance(data, dict):
        return data
    kind = data.get(_KIND)
    if kind not in _KNOWN:
        raise BadMachine(f"{path}: unknown element {kind!r}; known: {', '.join(sorted(_KNOWN))}")
    fields = {name: _element(each, f"{path}.{name}") for name, each in data.items() if name != _KIND}
    try:
        return _KNOWN[kind](**fields)
    except TypeError as error:
        raise BadMachine(f"{path}: {error}") from None
