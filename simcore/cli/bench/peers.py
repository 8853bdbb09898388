"""Which of the other engines are installed: they come with the extra `peers`, and none is needed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

_MODULES = {"MuJoCo": "mujoco", "Exudyn": "exudyn", "Pinocchio": "pinocchio", "filterpy": "filterpy"}


def installed(peer: str) -> bool:
    return find_spec(_MODULES[peer]) is not None


def absent(peers: Iterable[str]) -> list[str]:
    """A line for each of the peers that is not there."""
    hint = "it comes with the extra 'peers' (python3 tools/bootstrap.py peers)"
    return [f"{peer} is not installed and left out; {hint}" for peer in peers if not installed(peer)]
