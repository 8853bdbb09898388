"""The machine models, in the order they are listed in."""

from simcore.machines.model import MachineModel


def models() -> tuple[MachineModel, ...]:
    return ()
