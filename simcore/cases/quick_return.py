"""Defines the quick-return mechanism of Jaiswal 2021, Publication I.

A crank swings a slotted lever, which moves a ram. Parameters, their provenance and measured results are in
docs/cases/quick-return.md.
"""

from __future__ import annotations

from simcore.cases import jaiswal_i
from simcore.cases.one_cylinder import beam, ground
from simcore.model.case import Case, Chosen, Parameter
from simcore.model.elements import GROUND, Body, CutTranslational, Loop, Machine, Mount
from simcore.model.quantity import place

_X_AXIS, _Y_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)

PARAMETERS = (
    Parameter(
        "lever_mass",
        25.0,
        "kg",
        "printed",
        "mass of the slotted lever, which is 5 m long (body 1 in the publication)",
        0.1,
        1e4,
    ),
    Parameter(
        "coupler_mass",
        12.0,
        "kg",
        "printed",
        "mass of the coupler, which is 1.2 m long (body 2 in the publication)",
        0.1,
        1e4,
    ),
    Parameter(
        "ram_mass",
        3.0,
        "kg",
        "printed",
        "mass of the ram, a cube with 0.3 m edges (body 3 in the publication)",
        0.1,
        1e4,
    ),
    Parameter(
        "crank_mass",
        100.0,
        "kg",
        "printed",
        "mass of the crank, which is 1 m long (body 4 in the publication)",
        0.1,
        1e4,
    ),
    Parameter(
        "block_mass",
        30.0,
        "kg",
        "printed",
        "mass of the sliding block, a cube with 0.3 m edges (body 5 in the publication)",
        0.1,
        1e4,
    ),
    *jaiswal_i.PARAMETERS,
)


def _bodies(chosen: Chosen) -> tuple[Body, ...]:
    """Two open chains: lever, coupler and ram, starting at the origin; crank and block, starting at (0, 3).

    A cuboid has its centre on its hinge and J = m L²/6, as a beam with the square section L.
    """
    return (
        beam("lever", (GROUND, place(0, 0, 0)), chosen.quantity("lever_mass"), 5.0, 76.22, 0.0, 2.5),
        beam("coupler", ("lever", place(5, 0, 0)), chosen.quantity("coupler_mass"), 1.2, 96.89, 0.0, 0.6),
        beam("ram", ("coupler", place(1.2, 0, 0)), chosen.quantity("ram_mass"), 0.3, 6.89, 0.3, 0.0),
        beam("crank", (GROUND, place(0, 3, 0)), chosen.quantity("crank_mass"), 1.0, 30.59, 0.0, 0.5),
        beam("block", ("crank", place(1, 0, 0)), chosen.quantity("block_mass"), 0.3, 45.63, 0.3, 0.0),
    )


def _loops() -> tuple[Loop, ...]:
    """The two slides. Each keeps a point on a line and two bodies parallel: 4 plane equations in total.

    The published angles add up to 180° for the ram, so it slides on the ground with its x axis backwards.
    """
    sides = (_X_AXIS, _X_AXIS, _Y_AXIS, _Y_AXIS)
    on_ground = Mount(GROUND, place(0, 5, 0, "reconstructed", "published as the ram's start"))
    return (
        CutTranslational("ram guide", on_ground, Mount("ram", place(0, 0, 0)), *sides),
        CutTranslational(
            "lever slot", Mount("lever", place(0, 0, 0)), Mount("block", place(0, 0, 0)), *sides
        ),
    )


def assemble(chosen: Chosen) -> Machine:
    """The machine with the chosen parameters."""
    middle = Mount("crank", place(0.5, 0, 0, "printed", "centre of mass of the crank"))
    cylinder = jaiswal_i.cylinder(chosen, ground(-0.96, 3), middle)
    return jaiswal_i.machine("quick-return", chosen, _bodies(chosen), _loops(), cylinder, "crank")


QUICK_RETURN = Case(
    name="quick-return",
    sentence="Quick-return mechanism: one cylinder turns a crank that swings a slotted lever and"
    " moves a ram (published in Jaiswal 2021, Publication I)",
    parameters=PARAMETERS,
    assemble=assemble,
    command_schedule=(
        (0.0, {"valve.command": 0.0}),
        (1.0, {"valve.command": -10.0}),
        (4.0, {"valve.command": 0.0}),
        (6.5, {"valve.command": 10.0}),
        (8.0, {"valve.command": 0.0}),
    ),
    dt=1e-3,
    t_end=10.0,
)
