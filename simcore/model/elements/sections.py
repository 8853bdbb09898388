"""Sections of bodies whose loads are of interest, such as hot spots of welded structures."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.elements.bodies import Axis
from simcore.model.quantity import Quantity, Tensor, Vector


@dataclass(frozen=True, slots=True)
class Section:
    """A cut through a body, which divides it into an inboard and an outboard part.

    What belongs to the outboard part is declared: a share of the body's mass, and what is attached there. By
    default the body's own mass is all inboard. Its load is the wrench of the outboard part on the inboard.
    """

    name: str
    body: str
    at: Vector  # reference point of the moments, in the body's frame, m
    axis_x: Axis  # axes of the load, in the body's directions: along the beam, outwards
    axis_y: Axis
    axis_z: Axis
    mass: Quantity | None = None  # of the outboard part, kg
    centre: Vector | None = None  # its centre of mass in the body's frame, m
    inertia: Vector | Tensor | None = None  # about that centre in body axes, kg m²; None: a point mass
    carries: tuple[str, ...] = ()  # bodies whose joints to this body are outboard
    cylinders: tuple[str, ...] = ()  # cylinders that push on this body outboard
    loops: tuple[str, ...] = ()  # cut joints that hold this body outboard
    links: tuple[str, ...] = ()  # springs, pushes and twists that act on this body outboard
