"""Diesel engines that drive shafts (docs/methods/diesel.md)."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.quantity import Origin, Quantity


@dataclass(frozen=True, slots=True)
class FullLoad:
    """Largest torque as a function of speed: linear between the points and constant beyond them."""

    speeds: tuple[float, ...]  # rad/s, rising
    torques: tuple[float, ...]  # N m
    origin: Origin
    note: str = ""


@dataclass(frozen=True, slots=True)
class FuelMap:
    """Specific fuel consumption as a function of speed and torque, and consumption without load."""

    speeds: tuple[float, ...]  # rad/s, rising
    torques: tuple[float, ...]  # N m, rising from above zero
    specific: tuple[tuple[float, ...], ...]  # kg/J, a row per speed
    idle: tuple[float, ...]  # kg/s at zero torque, per speed
    origin: Origin
    note: str = ""


@dataclass(frozen=True, slots=True)
class Diesel:
    """Engine whose torque follows its governor with a lag.

    The governor requests no torque at `speed`, and full load at `droop` below `speed`. Above `speed` only the
    drag remains.
    """

    name: str
    shaft: str  # body on a revolute joint
    speed: Quantity  # rad/s, without load
    droop: Quantity  # rad/s
    drag: Quantity  # N m, motored without fuel
    time_constant: Quantity  # s, of the torque
    full_load: FullLoad
    fuel: FuelMap
