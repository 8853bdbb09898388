"""Sets numba's options and caches compiled kernels.

numba's own cache notices edits in the file of a kernel but not in the files that it calls, and it depends on
the path of the checkout. Here machine code is stored under a stamp of everything it depends on: the kernel's
file and every simcore file that it imports, directly or indirectly. An edit recompiles only what it affects,
and equal checkouts share their kernels (docs/decisions/008-kernel-cache.md).
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import UserProvidedCacheLocator

from simcore.kernels.cache import cache_directory
from simcore.kernels.inlined import InlinedCompiler

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,  # an entry from C, which would hold all that is inlined a second time
}
_ROOT = Path(__file__).resolve().parents[1]
_OTHERS = "UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator,IPythonCacheLocator"

_Function = TypeVar("_Function", bound=Callable[..., Any])


@functools.cache
def _imports(source: Path) -> frozenset[Path]:
    """The simcore files that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    base = _ROOT.parent
    paths = [
        base / Path(*name.split(".")).with_suffix(".py") for name in names if name.split(".")[0] == "simcore"
    ]
    return frozenset(path for path in paths if path.is_file())


def reached(source: Path) -> frozenset[Path]:
    """The file and all simcore files from which its kernels can use functions or constants."""
    found, new = {source}, {source}
    while new := {path for file in new for path in _imports(file)} - found:
        found |= new
    return frozenset(found)


@functools.cache
def stamp(source: Path) -> str:
    """Stamp of everything in simcore that the machine code of a file depends on."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(reached(source)):
        digest.update(path.relative_to(_ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class KernelLocator(UserProvidedCacheLocator):
    """Tells numba where the machine code of a kernel is: in a directory per file and stamp."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        super().__init__(py_func, py_file)  # type: ignore[no-untyped-call]
        source = Path(py_file).resolve()
        name = ".".join(source.relative_to(_ROOT).with_suffix("").parts)
        self._stamp = stamp(source)
        self._cache_path = str(cache_directory() / f"{name}-{self._stamp}")

    def get_source_stamp(self) -> str:
        return self._stamp

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelLocator | None:
        if not Path(py_file).resolve().is_relative_to(_ROOT):
            return None  # another library's: numba's own locators follow
        located: KernelLocator | None = super().from_function(py_func, py_file)  # type: ignore[no-untyped-call]
        return located


# vectorising and the third level of optimisation only take longer here: loops have three to six iterations
vars(numba.config)["LOOP_VECTORIZE"] = 0
vars(numba.config)["SLP_VECTORIZE"] = 1  # products of matrices are written so that four sums go side by side
vars(numba.config)["OPT"] = type(vars(numba.config)["OPT"])(2)
vars(numba.config)["CACHE_DIR"] = str(cache_directory())
vars(numba.config)["CACHE_LOCATOR_CLASSES"] = f"{__name__}.{KernelLocator.__name__},{_OTHERS}"


def kernel(function: _Function) -> _Function:
    """Compile a function to machine code: cached on disk, GIL released, IEEE arithmetic (1/0 is infinite).

    numba's runtime is switched off: a kernel that allocates memory does not compile, and references are not
    counted. Counting those of the plan's arrays took half of the time of a step.
    """
    return cast(_Function, numba.njit(**_OPTIONS)(function))


def inner(function: _Function) -> _Function:
    """Compile a kernel that is always inlined into other kernels. Never call it from Python: it would crash.

    A plan and its scratch memory are about 180 machine words; passing them took two fifths of a step.
    """
    options = {"no_cpython_wrapper": True, "forceinline": True, "pipeline_class": InlinedCompiler}
    return cast(_Function, numba.njit(**(_OPTIONS | options))(function))


def outlined(function: _Function) -> _Function:
    """Compile a kernel that only kernels call and that is too long to be inlined, such as a rare branch.

    Compile time grows faster than the length of a function. Never call it from Python either.
    """
    options = {"no_cpython_wrapper": True, "pipeline_class": InlinedCompiler}
    return cast(_Function, numba.njit(**(_OPTIONS | options))(function))


def once(function: _Function) -> _Function:
    """Mark a short part of a kernel, separated for readability, that is copied into its caller.

    numba optimises called kernels again in every caller, so each level of calls costs seconds.
    """
    return cast(_Function, numba.njit(**(_OPTIONS | {"inline": "always"}))(function))
