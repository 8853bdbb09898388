"""Translates the names of a machine's parts, for labels that the browser composes."""

from django.conf import settings
from django.utils.translation import get_language

from simcore.model.elements import Machine
from simcore.model.frictions import laws
from webui.words import named


def part_of(label: str) -> str:
    """Return the part that a channel moves: "Boom angle" belongs to "Boom"."""
    return label.removesuffix(" angle")


def part_names(machine: Machine) -> list[str]:
    """Return the parts that a message may name; cylinders also in the forms of the browser's load labels."""
    groups = (machine.bodies, machine.volumes, machine.diesels, machine.digging)
    names = [part.name for group in groups for part in group] + [owner for owner, _ in laws(machine)]
    for cylinder in machine.cylinders:
        names.append(cylinder.name)
        if cylinder.name != "cylinder":
            names += [f"{cylinder.name} cylinder", f"{cylinder.name} cylinders, each"]
    return names


def names_of(machine: Machine) -> dict[str, str]:
    """Return the translations by part name, and the part that each channel moves; empty in English."""
    if get_language() == settings.LANGUAGE_CODE:
        return {}
    moved = {o.name: named(part_of(o.label)) for o in machine.outputs if o.reads in ("angle", "slide")}
    return {name: named(name) for name in part_names(machine)} | moved
