"""Numbers of a description as a person reads them: SI inside, bar, degrees and litres on the page."""

from simcore.machines.quality.scale import number_text

# unit -> what is shown, and by what the number is multiplied; as in webui/frontend/src/format.ts
_SHOWN = {
    "Pa": ("bar", 1e-5),
    "rad": ("°", 57.29577951308232),
    "m³/s": ("L/min", 6e4),
    "m³": ("L", 1e3),
    "m²": ("cm²", 1e4),
    "W": ("kW", 1e-3),
}


def shown_unit(unit: str) -> str:
    """The unit on the page; a bare number has none."""
    return _SHOWN.get(unit, (unit, 1.0))[0].removeprefix("-")


def shown_number(value: float | str, unit: str) -> str:
    if isinstance(value, str):
        return value
    number = value * _SHOWN.get(unit, (unit, 1.0))[1]
    text = f"{number:.4g}" if 1e-3 <= abs(number) < 1e4 else number_text(number)
    return text.replace("-", "−")
