"""Computes static cylinder forces, and the pressures that produce them (docs/methods/equilibrium.md)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from simcore.errors import BadMachine
from simcore.model.elements import CheckValve, CounterbalanceValve, Cylinder, Machine
from simcore.model.geometry import Array, close, cylinder_length, potential_energy, start_angles
from simcore.model.loop_rows import independent_coordinates
from simcore.model.quantity import reconstructed
from simcore.model.tree import expand

_NUDGE = 1e-5  # of an independent coordinate, for central differences
_ROUNDING = 1e-9  # m/rad; a lever arm below it is a rounding error
_DEEPEST = 0.99  # share of an end damper; no machine stands still with a piston deeper in it


def static_forces(machine: Machine) -> dict[str, float]:
    """Force of every cylinder that holds the machine still at its start, N, from virtual work.

    Σ_k F_k ∂s_k/∂z_f = ∂V/∂z_f for every independent coordinate f. With more cylinders than degrees of
    freedom, the solution with the smallest forces is taken.
    """
    z = start_angles(machine)
    free = independent_coordinates(machine)
    levers = np.zeros((len(free), len(machine.cylinders)))
    weight = np.zeros(len(free))
    for f, coordinate in enumerate(free):
        for sign in (1.0, -1.0):
            moved = z.copy()
            moved[coordinate] += sign * _NUDGE
            moved = close(machine, moved)
            weight[f] += sign * potential_energy(machine, moved) / (2 * _NUDGE)
            levers[f] += sign * _lengths(machine, moved) / (2 * _NUDGE)
    levers[np.abs(levers) < _ROUNDING] = 0.0
    forces = np.linalg.lstsq(levers, weight, rcond=None)[0]
    rest = levers @ forces - weight
    owners = [single.owner for single in expand(machine).singles]
    for f, coordinate in enumerate(free):
        if abs(rest[f]) > 1e-6 * max(1.0, float(np.max(np.abs(weight)))):
            raise BadMachine(
                f"{machine.name!r} cannot be at rest: no cylinder holds the joint of {owners[coordinate]!r} "
                f"against {weight[f]:.4g} N m"
            )
    return {c.name: float(force) for c, force in zip(machine.cylinders, forces, strict=True)}


def _lengths(machine: Machine, z: Array) -> Array:
    return np.array([cylinder_length(machine, c, z) for c in machine.cylinders])


def at_rest(machine: Machine) -> Machine:
    """The machine with start pressures that hold it still, with closed spools and without friction.

    The given pressure of chamber B stays and that of A is computed. If A would fall below the pressure to
    which check valves fill it, or below the lowest source, A stays at that pressure and B is computed.
    Volumes behind an orifice have the pressure of the chamber that they lead to.
    """
    groups, checks = _open_groups(machine), _checks(machine)
    known = {s.name: float(s.pressure) for s in machine.sources}
    found = {v.name: float(v.start) for v in machine.volumes}
    solved: dict[frozenset[str], tuple[str, float]] = {}
    forces = static_forces(machine)
    z = start_angles(machine)
    for c in machine.cylinders:
        force = forces[c.name] - _damper_force(c, cylinder_length(machine, c, z))
        start = found | known
        filled = [start[a] - cracking for a, b, cracking in checks if b == c.chamber_a]
        floor = max(min(known.values()), *filled, 0.0)
        for chamber, pressure in _pressures(c, force, start, known, floor).items():
            group = groups[chamber]
            fixed = [known[name] for name in group if name in known]
            other, already = solved.get(group, (c.name, fixed[0] if fixed else pressure))
            if not math.isclose(already, pressure, rel_tol=1e-9):
                raise BadMachine(
                    f"cylinder {c.name!r} needs {pressure:.4g} Pa in {chamber!r} to be at rest, "
                    f"but the pressure there is {already:.4g} Pa because of "
                    f"{'a pressure source' if fixed else f'cylinder {other!r}'}"
                )
            solved[group] = (c.name, pressure)
    for group, (_, pressure) in solved.items():
        found |= dict.fromkeys(group & found.keys(), pressure)
    return replace(
        machine,
        volumes=tuple(
            v
            if found[v.name] == float(v.start)
            else replace(v, start=reconstructed(found[v.name], "Pa", "holds the machine still"))
            for v in machine.volumes
        ),
    )


def _open_groups(machine: Machine) -> dict[str, frozenset[str]]:
    """Groups of nodes that are joined by always-open orifices, by node."""
    groups = {
        name: {name} for name in [*(v.name for v in machine.volumes), *(s.name for s in machine.sources)]
    }
    for orifice in machine.orifices:
        merged = groups[orifice.a] | groups[orifice.b]
        for name in merged:
            groups[name] = merged
    return {name: frozenset(group) for name, group in groups.items()}


def _areas(c: Cylinder) -> tuple[float, float]:
    area_a = math.pi * float(c.bore) ** 2 / 4
    return area_a, area_a - math.pi * float(c.rod_diameter) ** 2 / 4


def _checks(machine: Machine) -> list[tuple[str, str, float]]:
    """Inlet and outlet node of every check valve, and its opening pressure, Pa."""
    found = [(e.a, e.b, float(e.cracking)) for e in machine.elements if isinstance(e, CheckValve)]
    holding = [e for e in machine.elements if isinstance(e, CounterbalanceValve)]
    return found + [(e.outlet, e.load, float(e.check_cracking)) for e in holding]


def _pressures(
    c: Cylinder, force: float, start: dict[str, float], known: dict[str, float], floor: float
) -> dict[str, float]:
    """Pressures of both chambers that produce the force; A is at least `floor`."""
    area_a, area_b = _areas(c)
    p_b = start[c.chamber_b]
    p_a = known.get(c.chamber_a, (force + p_b * area_b) / area_a)
    if c.chamber_a in known or p_a < floor:
        p_a = max(p_a, floor)
        p_b = (p_a * area_a - force) / area_b
    if p_b < 0 or p_a < 0:
        raise BadMachine(
            f"cylinder {c.name!r} cannot produce {force:.4g} N: its chamber pressures "
            f"would be {p_a:.4g} and {p_b:.4g} Pa, and neither may be negative"
        )
    return {c.chamber_a: p_a, c.chamber_b: p_b}


def _damper_force(c: Cylinder, length: float) -> float:
    """Force of the end damper springs at rest, N (simcore/hydraulics/end_dampers.py)."""
    if c.end_damper is None:
        return 0.0
    reach, stiffness = float(c.end_damper.length), float(c.end_damper.stiffness)
    chamber_a = float(c.chamber_a_at_reference) + length - float(c.reference_length)
    chamber_b = float(c.tube_length) - chamber_a
    in_a, in_b = (min(max(reach - chamber, 0.0), _DEEPEST * reach) for chamber in (chamber_a, chamber_b))
    return stiffness * (in_a / (1 - (in_a / reach) ** 4) - in_b / (1 - (in_b / reach) ** 4))
