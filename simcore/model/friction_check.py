"""Refuses impossible friction parameters of a seal or a joint."""

from __future__ import annotations

from simcore.errors import BadMachine
from simcore.model.elements import Efficiency, Friction, LuGre, ModifiedLuGre


def friction_is_sound(name: str, friction: Friction | None) -> None:
    """Refuse friction that could create energy, such as static friction below Coulomb friction."""
    if isinstance(friction, Efficiency):
        if float(friction.efficiency) > 1:
            raise BadMachine(
                f"{name}.friction.efficiency = {float(friction.efficiency):g}: must not exceed 1"
            )
    elif friction is not None:
        base = friction.bristles if isinstance(friction, ModifiedLuGre) else friction
        static, coulomb = float(base.static), float(base.coulomb)
        if static < coulomb:
            raise BadMachine(
                f"{name}.friction.static = {static:g} N: must not be below "
                f"the Coulomb friction of {coulomb:g} N"
            )
        if isinstance(base, LuGre) and coulomb == 0:
            raise BadMachine(f"{name}.friction.coulomb = 0 N: must be more than zero for LuGre friction")
