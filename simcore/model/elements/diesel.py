"""Diesel engines that drive shafts (docs/methods/diesel.md)."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.quantity import Origin, Quantity


@dataclass(frozen=True, slots=True)
class FullLoad:
    """Largest torque over speed, straight between the points and constant beyond them."""

    speeds: tuple[float, ...]  # rad/s, rising
    torques: tuple[float, ...]  # N m
    origin: Origin
    note: str = ""


@dataclass(frozen=True, slots=True)
class FuelMap:
    """Specific consumption over speed and torque, and what an unloaded engine burns."""

    speeds: tuple[float, ...]  # rad/s, rising
    torques: tuple[float, ...]  # N m, rising from above zero
    specific: tuple[tuple[float, ...], ...]  # kg/J, a row per speed
    idle: tuple[float, ...]  # kg/s at zero torque, per speed
    origin: Origin
    note: str = ""


@dataclass(frozen=True, slots=True)
class Diesel:
    """Engine whose torque follows, with a lag, what its governor asks for.

    Nothing at `speed`, full load from `droop` below it on; above, only its own drag is left.
    """

    name: str
    shaft: str  # body on a revolute joint
    speed: Quantity  # rad/s, without load
    droop: Quantity  # rad/s
    drag: Quantity  # N m, motored without fuel
    time_constant: Quantity  # s, of the torque
    full_load: FullLoad
    fuel: FuelMap
