"""Defines the seal friction of the published cases.

One set of parameters serves all friction laws. Its published values come from Jaiswal 2021, Publication II.
"""

from __future__ import annotations

import math

from simcore.model.case import Chosen, Parameter
from simcore.model.elements import (
    BengisuAkay,
    BrownMcPhee,
    Efficiency,
    Friction,
    LuGre,
    ModifiedLuGre,
)
from simcore.model.quantity import Origin

LAWS = ("none", "efficiency", "bengisu-akay", "brown-mcphee", "lugre", "modified-lugre")


def seal_parameters(law: str, form: str, origin: Origin) -> tuple[Parameter, ...]:
    """Parameters of all friction laws. The case's law and its form of the efficiency law are the defaults."""
    return (
        Parameter(
            "friction",
            law,
            "",
            origin,
            "formula for the friction of the cylinder seals",
            choices=LAWS,
            label="seal friction law",
        ),
        Parameter(
            "coulomb_friction",
            210.0,
            "N",
            "printed",
            "F_c: Coulomb friction force of the seals",
            0.0,
            1e5,
            label="Coulomb friction",
        ),
        Parameter(
            "static_friction", 830.0, "N", "printed", "F_s: static friction force of the seals", 0.0, 1e5
        ),
        Parameter(
            "stribeck_velocity",
            1.25e-2,
            "m/s",
            "printed",
            "v_s: Stribeck velocity of the seals",
            1e-5,
            1.0,
            label="Stribeck velocity",
        ),
        Parameter(
            "viscous_friction",
            330.0,
            "N s/m",
            "printed",
            "σ₂: viscous friction coefficient of the seals",
            0.0,
            1e6,
        ),
        Parameter(
            "friction_shape",
            50.0,
            "s/m",
            "printed",
            "ξ: how fast friction decreases above the Stribeck velocity (Bengisu-Akay law)",
            0.0,
            1e4,
            label="friction shape parameter",
        ),
        Parameter(
            "stribeck_exponent",
            0.5,
            "-",
            "printed",
            "n: Stribeck exponent of the LuGre law",
            0.1,
            4.0,
            label="Stribeck exponent",
        ),
        Parameter(
            "bristle_stiffness",
            math.sqrt(54) * 1e6,
            "N/m",
            "printed",
            "σ₀: bristle stiffness of the LuGre law",
            1e2,
            1e10,
        ),
        Parameter(
            "bristle_damping",
            math.sqrt(10) * 1e4,
            "N s/m",
            "printed",
            "σ₁: bristle damping of the LuGre law",
            0.0,
            1e8,
        ),
        Parameter(
            "film_velocity",
            0.7,
            "m/s",
            "printed",
            "v_b: velocity at which the lubricant film is fully formed",
            1e-4,
            10.0,
            label="film formation velocity",
        ),
        Parameter(
            "film_build",
            0.25,
            "s",
            "printed",
            "time constant of the lubricant film while it builds up",
            1e-3,
            1e3,
            label="film build-up time",
        ),
        Parameter(
            "film_decay",
            1.5,
            "s",
            "printed",
            "time constant of the lubricant film while it becomes thinner",
            1e-3,
            1e3,
            label="film decay time",
        ),
        Parameter(
            "film_dwell",
            40.0,
            "s",
            "printed",
            "time constant of the lubricant film while the piston is at rest",
            1e-3,
            1e4,
            label="film dwell time",
        ),
        Parameter(
            "efficiency",
            0.88,
            "-",
            "printed",
            "η: cylinder efficiency, used only by the efficiency friction law",
            0.01,
            1.0,
            label="cylinder efficiency",
        ),
        Parameter(
            "efficiency_form",
            form,
            "",
            "printed" if form == "printed" else "assumed",
            "“printed”: the published formula F_h (1 - η) v; “passive”: |F_h| (1 - η) tanh(v / v_s), which"
            " always opposes the motion",
            choices=("printed", "passive"),
            label="formula of the efficiency friction law",
        ),
    )


def seal(chosen: Chosen) -> Friction | None:
    """The chosen friction law with its parameters."""
    law = chosen.word("friction")
    if law == "none":
        return None
    stribeck = chosen.quantity("stribeck_velocity")
    if law == "efficiency":
        passive = chosen.word("efficiency_form") == "passive"
        return Efficiency(chosen.quantity("efficiency"), stribeck if passive else None)
    level = chosen.quantity("coulomb_friction"), chosen.quantity("static_friction")
    viscous = chosen.quantity("viscous_friction")
    if law == "bengisu-akay":
        return BengisuAkay(*level, stribeck, viscous, chosen.quantity("friction_shape"))
    if law == "brown-mcphee":
        return BrownMcPhee(*level, stribeck, viscous)
    bristles = LuGre(
        *level,
        stribeck,
        viscous,
        chosen.quantity("stribeck_exponent"),
        chosen.quantity("bristle_stiffness"),
        chosen.quantity("bristle_damping"),
    )
    if law == "lugre":
        return bristles
    return ModifiedLuGre(
        bristles,
        chosen.quantity("film_velocity"),
        chosen.quantity("film_build"),
        chosen.quantity("film_decay"),
        chosen.quantity("film_dwell"),
    )
