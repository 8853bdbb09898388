"""Every message of the catalogue with example values, made from the kinds that the catalogue declares."""

from collections.abc import Iterator

from simcore.messages import QUANTITIES, Message, Template, Value
from twin.messages import TEMPLATES

NOW_US = 1_763_430_720_000_000  # 2025-11-18 01:52 UTC
LABELS = {"boom.p_B": "Boom rod pressure", "hose.p": "Hose pressure"}
# for each kind: nothing, one, many, negative or odd, large
EXAMPLES: dict[str, list[Value]] = {
    "channel": ["boom.p_B", "hose.p", "aux.p", "boom.p_B", "hose.p"],
    "channels": [["boom.p_B"], ["hose.p"], ["boom.p_B", "hose.p"], ["aux.p", "hose.p"], ["hose.p"] * 3],
    "causes": [
        ["cause.name.pump"],
        ["boom.p_B"],
        ["cause.name.oil", "hose.p"],
        ["aux.p", "boom"],
        ["unheard of"],
    ],
    "name": ["hose", "boom", "bucket", "dig-swing-dump", "unheard of"],
    "text": ["", "ValueError", "l20 = 7", "a bug", "{braces} % 3"],
    "count": [0, 1, 2, 11, 1_000_000],
    "ordinal": [1, 2, 3, 11, 122],
    "number": [0.0, 1.0, 12.34, -0.04, 123456.75],
    "ratio": [0.0, 1.0, 2.125, -3.5, 1e6],
    "share": [0.0, 0.01, 0.305, 1.0, 12.5],
    "span": [0.0, 1.0, 64.0, 7200.0, 1e6],
    "seconds": [0.0, 1.0, 13.9, 5.25, 86400.0],
    "step": [0.0, 0.001, 0.0005, 0.00125, 1.0],
    "time": [0.0, 1.0, 12.402, 108.11, 1e5],
    "instant": [NOW_US, NOW_US - 60_000_000, NOW_US - 86_400_000_000, 0, NOW_US + 59_000_000],
    "reading": [0.0, 1.0, 495000.0, -1.25e5, 3.45e9],
}
SETS = 5


def examples() -> Iterator[Message]:
    """Each code with each set of examples; readings as each quantity in turn."""
    for code, template in TEMPLATES.items():
        for at in range(SETS if template.kinds else 1):
            quantities = list(QUANTITIES) if "quantity" in template.kinds and at == 2 else ["pressure"]
            for quantity in quantities:
                yield Message(code, _values(template, at, quantity))


def _values(template: Template, at: int, quantity: str) -> dict[str, Value]:
    own = {"quantity": quantity}
    return {
        name: own.get(name) or EXAMPLES.get(kind, EXAMPLES["reading"])[at]
        for name, kind in template.kinds.items()
    }
