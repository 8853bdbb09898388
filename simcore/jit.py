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

import numba
from numba.core.registry import cpu_target

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

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
    digest.update(repr(cpu_target.target_context.codegen().magic_tuple()).encode())
    return Path(base) / f"kernels-{digest.hexdigest()[:16]}"


vars(numba.config)["CACHE_DIR"] = str(cache_directory())


def kernel(function: _Function) -> _Function:
    """Compile to machine code: cached on disk, GIL released, IEEE arithmetic (1/0 is infinite).

    Without numba's runtime a kernel that allocates does not compile, and no reference is counted:
    counting those of the plan's arrays took half of the time of a step.
    """
    return cast(_Function, numba.njit(**_OPTIONS)(function))


def inner(function: _Function) -> _Function:
    """A kernel that only kernels call: without an entry from Python it takes a quarter less to compile."""
    return cast(_Function, numba.njit(**(_OPTIONS | {"no_cpython_wrapper": True}))(function))
