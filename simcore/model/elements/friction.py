"""Friction laws and their parameters (docs/methods/friction.md)."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Seal friction as a share of the hydraulic force.

    turn_velocity None: F_h (1 - η) v as published, which can act in the direction of motion. Otherwise: the
    passive form |F_h| (1 - η) tanh(v / turn_velocity).
    """

    efficiency: Quantity  # -
    turn_velocity: Quantity | None = None  # m/s


@dataclass(frozen=True, slots=True)
class BengisuAkay:
    """Parabola up to the Stribeck velocity, then exponential decay with viscous drag."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m
    shape: Quantity  # s/m


@dataclass(frozen=True, slots=True)
class BrownMcPhee:
    """Smooth Stribeck friction of the piston seal."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m


@dataclass(frozen=True, slots=True)
class LuGre:
    """Bristles that bend before they slide; one state, the bristle deflection, m."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m
    exponent: Quantity  # of the Stribeck curve
    bristle_stiffness: Quantity  # N/m
    bristle_damping: Quantity  # N s/m


@dataclass(frozen=True, slots=True)
class ModifiedLuGre:
    """LuGre with a lubricant film that builds up and decays; two states: deflection, m, and film, -."""

    bristles: LuGre
    film_velocity: Quantity  # m/s, where the film is fully there
    film_build: Quantity  # s
    film_decay: Quantity  # s
    film_dwell: Quantity  # s, at rest


Friction = Efficiency | BengisuAkay | BrownMcPhee | LuGre | ModifiedLuGre
