"""The machine models, in the order they are listed in."""

from simcore.machines.excavator import EXCAVATOR
from simcore.machines.loader_crane import LOADER_CRANE
from simcore.machines.model import MachineModel


def models() -> tuple[MachineModel, ...]:
    return LOADER_CRANE, EXCAVATOR
