"""Mass properties in closed form beside sums over small cells, and what cannot be a solid."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.errors import BadMachine
from simcore.machines.solids import Part, block, body, inset, solid, together
from simcore.model.checks import check
from simcore.model.elements import GROUND, Bar, Prism, Revolute, Wheel
from simcore.model.geometry import inertia_matrix
from simcore.model.quantity import assumed, place
from tests.unit.machines.numeric_mass import bar_cells, prism_cells, properties

_BUCKET = ((0.0, 0.0), (0.9, -0.1), (1.1, 0.5), (0.6, 0.35), (0.1, 0.7))  # not convex
_TAPER = ((-0.1, -0.15), (2.6, -0.1), (2.6, 0.12), (-0.1, 0.15))


def _close(found: object, expected: object, size: float, share: float) -> None:
    assert np.max(np.abs(np.asarray(found) - np.asarray(expected))) < share * size


@pytest.mark.parametrize("along", ["x", "y", "z"])
@pytest.mark.parametrize("outline", [_BUCKET, _TAPER])
def test_a_prism_weighs_what_its_cells_weigh(outline: tuple[tuple[float, float], ...], along: str) -> None:
    shape = Prism(outline, 0.4, (0.3, -0.2, 0.7), along)  # type: ignore[arg-type]
    found = solid(Part(shape, assumed(1000.0, "kg/m³")))
    volume, centre, inertia = properties(*prism_cells(shape))
    assert found.mass == pytest.approx(1000 * volume, rel=3e-3)
    _close(found.centre, centre, 1.0, 3e-3)
    _close(found.inertia, 1000 * inertia, np.max(np.abs(1000 * inertia)), 5e-3)


def test_a_box_beam_is_its_plates() -> None:
    outside = Prism(((0, -0.15), (2.0, -0.15), (2.0, 0.15), (0, 0.15)), 0.2)
    wall, steel = 0.01, assumed(7850.0, "kg/m³")
    found = solid(Part(outside, steel, wall=wall))
    # top and bottom over everything, sides between them, ends inside of all
    plates = [
        *(block((2.0, wall, 0.2), (1.0, y, 0.0)) for y in (-0.145, 0.145)),
        *(block((2.0, 0.28, wall), (1.0, 0.0, z)) for z in (-0.095, 0.095)),
        *(block((wall, 0.28, 0.18), (x, 0.0, 0.0)) for x in (0.005, 1.995)),
    ]
    whole = together(solid(Part(plate, steel)) for plate in plates)
    assert found.mass == pytest.approx(whole.mass, rel=1e-12)
    assert found.centre == pytest.approx(whole.centre, abs=1e-12)
    assert found.inertia == pytest.approx(whole.inertia, abs=1e-9)


@pytest.mark.parametrize("hole", [0.0, 0.05])
def test_a_bar_in_any_direction_weighs_what_its_cells_weigh(hole: float) -> None:
    shape = Bar((0.1, 0.2, -0.3), (1.0, -0.6, 0.5), 0.08, hole)
    found = solid(Part(shape, assumed(7850.0, "kg/m³")))
    volume, centre, inertia = properties(*bar_cells(shape))
    assert found.mass == pytest.approx(7850 * volume, rel=1e-9)
    assert found.centre == pytest.approx(centre, abs=1e-9)
    _close(found.inertia, 7850 * inertia, np.max(np.abs(7850 * inertia)), 1e-3)


def test_a_wheel_turns_about_z() -> None:
    found = solid(Part(Wheel((1.0, 0.5, 0.2), 0.5, 0.3), density=None, mass=assumed(120.0, "kg")))
    assert found.mass == pytest.approx(120.0)
    assert found.inertia[2, 2] == pytest.approx(120 * 0.25 / 2)


def test_an_inset_outline_keeps_its_distance() -> None:
    wall = 0.03
    inner = inset(_TAPER, wall)
    for k in range(4):
        a, b = np.array(_TAPER[k]), np.array(_TAPER[(k + 1) % 4])
        along = (b - a) / np.linalg.norm(b - a)
        for corner in (inner[k], inner[(k + 1) % 4]):
            arm = np.array(corner) - a
            assert along[0] * arm[1] - along[1] * arm[0] == pytest.approx(wall, abs=1e-12)


def test_a_wall_thicker_than_its_section_is_refused() -> None:
    beam = Prism(((0, -0.05), (1.0, -0.05), (1.0, 0.05), (0, 0.05)), 0.1)
    with pytest.raises(BadMachine, match=r"wall of 0\.06 m"):
        solid(Part(beam, wall=0.06))


def test_a_body_draws_what_it_weighs() -> None:
    joint = Revolute(GROUND, place(0, 0, 0), (0.0, 0.0, 1.0), assumed(0.0, "rad"), assumed(0.0, "rad/s"))
    parts = [Part(Prism(_TAPER, 0.2), wall=0.008), Part(Bar((2.6, 0, -0.2), (2.6, 0, 0.2), 0.05))]
    made = body("boom", joint, parts)
    assert made.shapes == tuple(part.shape for part in parts)
    assert float(made.mass) == pytest.approx(sum(solid(part).mass for part in parts))
    assert made.mass.origin == made.centre.origin == "derived"
    assert np.all(np.linalg.eigvalsh(inertia_matrix(made.inertia)) > 0)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Prism(((0, 0), (0, 1), (1, 1), (1, 0)), 0.1), "counter-clockwise"),
        (Prism(((0, 0), (1, 1), (1, 0), (0, 1.2)), 0.1), "crosses itself|counter-clockwise"),
        (Prism(((0, 0), (1, 0), (1, 1)), 0.0), "width 0 m"),
        (Bar((0, 0, 0), (0, 0, 0), 0.1), "length 0 m"),
        (Bar((0, 0, 0), (1, 0, 0), 0.1, 0.1), "hole 0.1 m"),
    ],
)
def test_a_shape_that_is_none_is_refused(shape: Prism | Bar, words: str) -> None:
    from dataclasses import replace

    from simcore import registry

    machine = registry.get("four-bar-b").build()
    first = replace(machine.bodies[0], shapes=(shape,))
    with pytest.raises(BadMachine, match=words):
        check(replace(machine, bodies=(first, *machine.bodies[1:])))
