"""Finds the directory of compiled kernels without loading the compiler."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """Directory of compiled kernels: HYDRATWIN_KERNEL_CACHE, or ~/.cache/hydratwin."""
    return Path(os.environ.get("HYDRATWIN_KERNEL_CACHE") or Path.home() / ".cache" / "hydratwin" / "kernels")
