"""Makes the display names of symbols."""

from django.utils.translation import gettext_lazy as _

from webui.machine.circuit.drawing import Drawing
from webui.machine.circuit.parts import Symbol
from webui.words import named as word

KIND_WORDS = {
    "throttle": _("throttle"),
    "leakage": _("leakage"),
    "check": _("check valve"),
    "relief": _("relief valve"),
    "compensator": _("pressure compensator"),
    "counterbalance": _("counterbalance valve"),
    "two-way": _("2/2 directional valve"),
    "directional": _("4/3 proportional valve"),
    "pump": _("pump"),
    "variable-pump": _("variable-displacement pump"),
    "motor": _("hydraulic motor"),
    "engine": _("engine"),
    "cylinder": _("cylinder"),
    "cylinder-short": _("cylinder"),
    "tank": _("tank"),
    "source": _("pressure source"),
}


def name_of(symbol: Symbol) -> str:
    """Return the name of a symbol: its name in the description and its kind."""
    element = word(symbol.element)
    name = element[:1].upper() + element[1:]
    kind = str(KIND_WORDS[symbol.kind])
    return name if name.casefold() == kind.casefold() else f"{name}, {kind}"


def named(drawing: Drawing) -> list[tuple[Symbol, str]]:
    return [(symbol, name_of(symbol)) for symbol in drawing.parts.symbols]
