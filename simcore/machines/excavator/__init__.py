"""Crawler excavator of 20 t, with engine, pump, swing, boom, dipper, bucket linkage and the ground.

Parameters with their provenance, results and limits: docs/machines/excavator.md.
"""

from simcore.machines.excavator.machine import EXCAVATOR

__all__ = ["EXCAVATOR", "build"]

build = EXCAVATOR.build
