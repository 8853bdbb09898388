"""Formats the result of a run as a table, with the provenance of every input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simcore.model.case import Case, Value
from simcore.model.elements import Machine
from simcore.model.geometry import coordinates
from simcore.model.quantity import SOURCES


def table(case: Case, overrides: Mapping[str, Value], machine: Machine, result: dict[str, Any]) -> str:
    """The run as a table: inputs, then results."""
    return "\n".join(
        [f"{case.name}: {case.sentence}", "", *_inputs(case, overrides), *_results(machine, result)]
    )


def input_rows(case: Case, overrides: Mapping[str, Value]) -> list[tuple[str, ...]]:
    """Rows with name, value, unit, origin and note of every input."""
    rows: list[tuple[str, ...]] = []
    for p in case.parameters:
        value = overrides.get(p.name, p.value)
        shown = value if isinstance(value, str) else f"{value:.6g}"
        origin = "set by you" if p.name in overrides else SOURCES[p.origin]
        rows.append((p.name, shown, p.unit, origin, p.note))
    return rows


def caption(result: dict[str, Any]) -> str:
    """The settings of a run in one sentence."""
    options = result["options"]
    given = "".join(f", {name} = {value}" for name, value in options["set"].items())
    return (
        f"{result['steps']} steps of {options['dt'] * 1e3:g} ms, {options['formulation']} formulation, "
        f"{options['integrator']} rule{given}; drift at most {result['energy']['drift_max_J']:.3g} J"
    )


def _inputs(case: Case, overrides: Mapping[str, Value]) -> list[str]:
    lines = [f"{'input':20} {'value':>14} {'unit':14} {'origin':22} note"]
    for name, value, unit, origin, note in input_rows(case, overrides):
        lines.append(f"{name:20} {value:>14} {unit:14} {origin:22} {note}")
    return [*lines, ""]


def _results(machine: Machine, r: dict[str, Any]) -> list[str]:
    energy, newton, constraint = r["energy"], r["newton"], r["constraint"]
    share = 100 * energy["drift_max_J"] / max(energy["work_max_abs_J"], 1e-12)
    initial, final = r["initial"], r["final"]
    lines = [
        f"{r['steps']} steps of {r['options']['dt']:g} s, {r['options']['formulation']}, "
        f"{r['options']['integrator']}",
        f"time      {r['us_per_step']:.2f} us per step, {r['realtime_factor']:.0f} times real time",
        f"newton    {newton['mean']:.3f} iterations on average, {newton['max']:.0f} at most, "
        f"{newton['failed_steps']:.0f} steps divided",
        *_error(r),
        f"work      {energy['work_max_abs_J']:.2f} J at most in magnitude "
        f"({energy['work_min_J']:.2f} to {energy['work_max_J']:.2f} J)",
        f"drift     {energy['drift_max_J']:.3g} J" + (f", {share:.2f} % of it" if machine.cylinders else ""),
        f"loops     open by {constraint['position_max']:.2e} m, {constraint['velocity_max']:.2e} m/s, "
        f"{constraint['acceleration_max']:.2e} m/s² at most",
        *_force(initial, final),
        *(f"warning   {warning}" for warning in r["warnings"]),
        "",
        f"{'':20} {'start':>12} {'end':>12} {'least':>12} {'most':>12}",
    ]
    joints = [name for name, place in coordinates(machine).items() for _ in range(place.stop - place.start)]
    volumes = [volume.name for volume in machine.volumes]
    for names, key, unit, scale in ((joints, "z_deg", "deg", 1.0), (volumes, "pressure_Pa", "MPa", 1e-6)):
        for k, name in enumerate(names):
            numbers = [initial[key][k], final[key][k], *r["extremes"][key][k]]
            lines.append(f"{name:20} " + " ".join(f"{x * scale:12.4f}" for x in numbers) + f" {unit}")
    if machine.cylinders:
        key = "cylinder_length_m"
        lengths = [initial[key], final[key], *r["extremes"][key]]
        lines.append(f"{'cylinder length':20} " + " ".join(f"{x:12.4f}" for x in lengths) + " m")
    return lines + energy_lines(energy)


def energy_lines(energy: dict[str, Any]) -> list[str]:
    """Energy supplied, stored and lost, J."""
    lines = ["", f"{'energy, J':28} {'start':>12} {'end':>12} {'least':>12} {'most':>12}"]
    for kind in ("kinetic", "potential", "elastic"):
        lines.append(f"{kind:28} " + _course(energy[f"{kind}_J"]))
        for name, entry in energy["elements"].get("links" if kind == "elastic" else "bodies", {}).items():
            if f"{kind}_J" in entry:
                lines.append(f"  {name:26} " + _course(entry[f"{kind}_J"]))
    lines += ["", f"{'energy by element, J':28} {'given':>12} {'stored':>12} {'lost':>12}"]
    for group, entries in energy["elements"].items():
        lines.append(group)
        for name, entry in entries.items():
            lines.append(f"  {name:26} " + _shares(entry) + _beside(entry))
            lines += [f"    {way:24} {'':25} {_cell(lost)}" for way, lost in entry.get("edges", {}).items()]
    return [
        *lines,
        f"{'sum':28} " + _shares(energy),
        f"{'unexplained':28} {energy['left_over_J']:12.3g}"
        f"   (oil circuit alone {energy['oil_left_over_J']:.1e})",
    ]


def _course(course: dict[str, float]) -> str:
    return " ".join(f"{course[when]:12.3f}" for when in ("start", "end", "min", "max"))


def _cell(joule: float | None) -> str:
    return f"{'':12}" if joule is None else f"{joule:12.3f}"


def _shares(entry: dict[str, Any]) -> str:
    return " ".join(_cell(entry.get(key)) for key in ("given_J", "stored_J", "lost_J"))


def _beside(entry: dict[str, Any]) -> str:
    """Additional entries of the energy ledger for pumps and cylinders."""
    parts = (
        f"{key.removesuffix('_J').replace('_', ' ')} {entry[key]:.3f}"
        for key in ("shaft_J", "oil_J", "rod_J", "friction_J", "leak_J", "seal_J", "end_damper_J")
        if entry.get(key)
    )
    return "".join(f"  {part}" for part in parts)


def _error(r: dict[str, Any]) -> list[str]:
    if "error" not in r:
        return []
    (name, value), (_, against) = r["error"].items()
    return [f"error     {value:.3e} ({name}) against {against}"]


def _force(initial: dict[str, Any], final: dict[str, Any]) -> list[str]:
    key = "cylinder_force_N"
    if key not in initial:
        return []
    return [f"cylinder  {initial[key]:.2f} N at the start, {final[key]:.2f} N at the end"]
