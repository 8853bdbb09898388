"""Computes the compliance V/B_e of oil volumes from a machine's description, without compiled kernels."""

import math

from simcore.model.elements import Cylinder, Fluid, Machine, Volume


def hose_compliance(volume: Volume, fluid: Fluid) -> float:
    """Compliance of a hose, V_hose (1/B_oil + 1/B_hose), m³/Pa."""
    return float(volume.hose) * (1.0 / float(fluid.bulk_modulus) + 1.0 / float(volume.hose_bulk_modulus))


def chamber_softness(cylinder: Cylinder, fluid: Fluid) -> float:
    """Compressibility of a cylinder chamber, 1/B_oil + 1/B_wall, 1/Pa."""
    return 1.0 / float(fluid.bulk_modulus) + 1.0 / float(cylinder.wall_bulk_modulus)


def mid_stroke_compliance(machine: Machine, volume: Volume) -> float:
    """V/B_e of a volume with every piston at mid-stroke and oil at zero pressure, m³/Pa.

    The same formula as in simcore.hydraulics.circuit.fill_volumes, which uses the present piston positions.
    """
    total = hose_compliance(volume, machine.fluid)
    for cylinder in machine.cylinders:
        bore, rod = float(cylinder.bore) ** 2, float(cylinder.rod_diameter) ** 2
        per_square = math.pi / 4 * float(cylinder.tube_length) / 2 * chamber_softness(cylinder, machine.fluid)
        total += per_square * bore if cylinder.chamber_a == volume.name else 0.0
        total += per_square * (bore - rod) if cylinder.chamber_b == volume.name else 0.0
    return total
