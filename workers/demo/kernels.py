"""Whether the kernels need to be compiled, found out without loading the compiler."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path


class KernelStamp:
    """Remembers for which sources, compiler and computer the kernels were last compiled.

    Only saves time: workers load what is compiled and compile what is not.
    """

    def __init__(self, root: Path, data: Path) -> None:
        self._file = data / "kernels"
        digest = hashlib.sha256()
        for source in sorted((root / "simcore").rglob("*.py")):
            digest.update(str(source.relative_to(root)).encode() + b"\0" + source.read_bytes())
        self._text = (
            f"{digest.hexdigest()} numba {version('numba')} on {platform.node()} {platform.machine()}"
        )

    def valid(self) -> bool:
        """Nothing has changed since the kernels were compiled."""
        return self._file.exists() and self._file.read_text() == self._text

    def write(self) -> None:
        """The kernels are compiled."""
        self._file.write_text(self._text)
