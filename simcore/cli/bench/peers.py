"""Finds out which other engines are installed. All are optional; the extra `peers` installs them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from importlib.util import find_spec

# by the name people know: what is imported, and what is installed
_PACKAGES = {
    "MuJoCo": ("mujoco", "mujoco"),
    "Exudyn": ("exudyn", "exudyn"),
    "Pinocchio": ("pinocchio", "pin"),
    "filterpy": ("filterpy", "filterpy"),
}


def installed(peer: str) -> bool:
    return find_spec(_PACKAGES[peer][0]) is not None


def absent(peers: Iterable[str]) -> list[str]:
    """A line for each peer that is not installed."""
    hint = "install the extra 'peers' (python3 tools/bootstrap.py peers)"
    return [f"{peer} is not installed and is left out; {hint}" for peer in peers if not installed(peer)]


def versions() -> list[str]:
    """Names and versions of the installed peers."""
    return [f"{peer} {version(package)}" for peer, (_, package) in _PACKAGES.items() if installed(peer)]
