"""Loader crane on a truck, with slewing column, main boom, folding boom, extension and hanging load.

Parameters with their provenance, results and limits: docs/machines/loader-crane.md.
"""

from simcore.machines.loader_crane.machine import LOADER_CRANE

__all__ = ["LOADER_CRANE", "build"]

build = LOADER_CRANE.build
