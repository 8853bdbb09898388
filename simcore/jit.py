"""The one place that names numba's options, and where compiled kernels are kept.

numba's own cache sees edits in the file of a kernel but not in the files it calls, so the cache directory is
named by everything machine code depends on: all simcore sources, numba's version and the processor.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def cache_directory() -> Path:
    """Directory of this version's machine code, under HYDRATWIN_KERNEL_CACHE or ~/.cache/hydratwin."""
    base = os.environ.get("HYDRATWIN_KERNEL_CACHE") or str(Path.home() / ".cache" / "hydratwin")
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(root.rglob("*.py")):
        digest.update(source.relative_to(root).as_posix().encode())
        digest.update(source.read_bytes())
    digest.update(numba.__version__.encode())
    digest.update(llvmlite.binding.get_host_cpu_name().encode())
    return Path(base) / f"kernels-{digest.hexdigest()[:16]}"


numba.config.CACHE_DIR = str(cache_directory())


def kernel(function: _Function) -> _Function:
    """Compile to machine code: cached on disk, GIL released, IEEE arithmetic (no fastmath, 1/0 is infinite)."""
    return cast(_Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
