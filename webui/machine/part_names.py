"""What the parts of a machine are called on its page, where the browser makes their names itself."""

from django.conf import settings
from django.utils.translation import get_language

from simcore.model.elements import Machine
from webui.words import named


def part_of(label: str) -> str:
    """The angle of the boom, "Boom angle", turns the boom."""
    return label.removesuffix(" angle")


def part_names(machine: Machine) -> list[str]:
    """Bodies, volumes and cylinders; the latter as webui/frontend/src/stage/loads.ts speaks of them, too."""
    names = [part.name for part in machine.bodies] + [part.name for part in machine.volumes]
    for cylinder in machine.cylinders:
        names.append(cylinder.name)
        if cylinder.name != "cylinder":
            names += [f"{cylinder.name} cylinder", f"{cylinder.name} cylinders, each"]
    return names


def names_of(machine: Machine) -> dict[str, str]:
    """By what the description calls a part, and by channel what that channel moves; none in English."""
    if get_language() == settings.LANGUAGE_CODE:
        return {}
    moved = {o.name: named(part_of(o.label)) for o in machine.outputs if o.reads in ("angle", "slide")}
    return {name: named(name) for name in part_names(machine)} | moved
