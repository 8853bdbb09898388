"""Whether the kernels need to be compiled, found out without loading the compiler."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

from simcore.kernels.cache import cache_directory


class KernelStamp:
    """Remembers, beside the kernels, for which sources, compiler and computer they are all compiled.

    Only saves time: workers load what is compiled and compile what is not.
    """

    def __init__(self, root: Path) -> None:
        digest = hashlib.sha256()
        for source in sorted((root / "simcore").rglob("*.py")):
            digest.update(str(source.relative_to(root)).encode() + b"\0" + source.read_bytes())
        digest.update(f"numba {version('numba')} on {platform.node()} {platform.machine()}".encode())
        self._file = cache_directory() / f"all-{digest.hexdigest()[:16]}"

    def valid(self) -> bool:
        """Nothing has changed since the kernels were compiled."""
        return self._file.exists()

    def write(self) -> None:
        """The kernels are compiled."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch()
