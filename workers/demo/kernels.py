"""Finds out whether the kernels are compiled, without importing numba."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

from simcore.kernels.cache import cache_directory


class KernelStamp:
    """A file next to the kernels that marks them as compiled for these sources, compiler and computer.

    The file only saves time: without it, workers load the kernels that are compiled and compile the others.
    """

    def __init__(self, root: Path) -> None:
        digest = hashlib.sha256()
        for source in sorted((root / "simcore").rglob("*.py")):
            digest.update(str(source.relative_to(root)).encode() + b"\0" + source.read_bytes())
        digest.update(f"numba {version('numba')} on {platform.node()} {platform.machine()}".encode())
        self._file = cache_directory() / f"all-{digest.hexdigest()[:16]}"

    def valid(self) -> bool:
        """Return whether nothing has changed since the kernels were compiled."""
        return self._file.exists()

    def write(self) -> None:
        """Mark the kernels as compiled."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch()
