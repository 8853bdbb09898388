"""Finds the texts of all registered machine models and of the messages of twins."""

import json
from collections.abc import Iterator

from simcore import registry
from simcore.machines.instruments import instruments
from simcore.machines.model import MachineModel
from simcore.machines.quality.scale import LEVELS, QUESTIONS
from simcore.machines.quality.stored_results import FOLDER
from simcore.machines.variant import SET_HERE, parameter_table
from simcore.model.case import Case
from simcore.model.elements import Machine
from simcore.model.quantity import SOURCES
from simcore.model.virtual import with_virtual_sensors
from tools.translations.found import Text
from twin.messages import TEMPLATES
from webui.machine.circuit.drawing import draw
from webui.machine.part_names import part_names, part_of
from webui.words import MACHINE, MESSAGE

_VERDICTS = ("met", "missed", "not measured")


def in_machines() -> dict[tuple[str | None, str], Text]:
    texts = [Text(text, context=MESSAGE, where=f"message {code}") for code, text in in_messages()]
    for name in registry.names():
        case = registry.get(name)
        machine = with_virtual_sensors(case.build())
        words = [*_case(case), *_channels(machine), *part_names(machine)]
        words += [*_drawing(machine), *_gauges(case, machine)]
        texts += [Text(word, context=MACHINE, where=f"machine {name}") for word in words if word]
    texts += [Text(word, context=MACHINE, where="simcore/machines/quality") for word in _quality() if word]
    return {text.key: text for text in reversed(texts)}


def in_messages() -> Iterator[tuple[str, str]]:
    """Every template that a page may show, with its code."""
    for code, template in TEMPLATES.items():
        yield from ((code, text) for text in (template.text, template.one) if text)


def _case(case: Case) -> Iterator[str]:
    """Texts of a case: its sentence, its kind and its parameters."""
    yield case.sentence
    yield case.kind
    for row in parameter_table(case.parameters, {}):
        yield from (row["label"], row["group"], row["note"], *row["choices"])


def _channels(machine: Machine) -> Iterator[str]:
    for output in machine.outputs:
        yield output.label
        yield part_of(output.label)


def _drawing(machine: Machine) -> Iterator[str]:
    drawing = draw(machine)
    if drawing is not None:
        yield from (symbol.element for symbol in drawing.parts.symbols)
        yield from (badge.node for badge in drawing.parts.badges)
        yield from (words.text for words in drawing.parts.words)


def _gauges(case: Case, machine: Machine) -> Iterator[str]:
    limits = case.limits({}) if isinstance(case, MachineModel) else {}
    for instrument in instruments(machine, limits):
        yield from (end.note for zone in instrument.red for end in (zone.low, zone.high))
        if instrument.recommended is not None:
            yield instrument.recommended.note


def _quality() -> Iterator[str]:
    """Texts of the quality scale, and those in the stored results."""
    yield from (*SOURCES.values(), SET_HERE, *QUESTIONS.values(), *_VERDICTS)
    for level, _, rule in LEVELS:
        yield from (level, rule)
    for path in sorted(FOLDER.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        yield kept["compared"]
        for check in kept["checks"]:
            yield from check["detail"]
            yield check["values"].get("cycle", "")
