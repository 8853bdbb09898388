"""The model page of a machine: every parameter with its source, and the model's quality."""

from collections import Counter
from datetime import date
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from simcore.machines.quality.scale import number_text
from simcore.machines.variant import SET_HERE
from simcore.messages import Message
from simcore.model.quantity import SOURCES
from twin.fleet.model_card import model_card
from twin.fleet.models import Machine
from webui.messages import render as render_message
from webui.units import System, shown_number, shown_unit, units_of
from webui.words import named, with_separator

_ORDER = (*SOURCES.values(), SET_HERE)  # of the source filters, most trusted first


@require_safe
def model_page(request: HttpRequest, machine_id: UUID) -> HttpResponse:
    machines = Machine.objects.for_user(request.user).select_related("organisation")
    machine = get_object_or_404(machines, pk=machine_id)
    units = units_of(request)
    card = _for_page(model_card(machine.model, machine.parameters), units)
    wanted, text = request.GET.get("source", ""), request.GET.get("search", "")[:80]
    rows = [_row(parameter, units) for parameter in card["parameters"]]
    found = [row for row in rows if _matches(row, wanted, text.casefold())]
    context = {
        "machine": machine,
        "card": card,
        "sources": _sources(rows, wanted),
        "wanted": wanted,
        "search": text,
        "total": len(rows),
        "shown": len(found),
        "differing": sum(row["source"] == slugify(SET_HERE) for row in rows),
        "groups": [(name, list(group)) for name, group in groupby(_grouped(found), lambda row: row["group"])],
    }
    return render(request, "machine/model.html", context)


def _for_page(card: dict[str, Any], units: System) -> dict[str, Any]:
    """Return the model card, with the quality figures and their limits as texts."""
    if card["quality"] is not None:
        measured = date.fromisoformat(card["quality"]["date"])
        card["quality"]["date"] = date_format(measured, "SHORT_DATE_FORMAT")
        for check in card["quality"]["checks"]:
            check["asked"], check["figure"] = _asked(check), _figure(check)
            check["how"] = render_message(Message(check["code"], check["values"]), units)
    return card


def _figure(check: dict[str, Any]) -> str:
    return named(check["figure"]) if check["value"] is None else _with_unit(check["value"], check["unit"])


def _asked(check: dict[str, Any]) -> str:
    ends = (check["low"], check["high"])
    return _limits(*(None if end is None else _with_unit(end, check["unit"]) for end in ends))


def _limits(low: str | None, high: str | None) -> str:
    if low and high:
        return _("%(low)s to %(high)s") % {"low": low, "high": high}
    if low:
        return _("at least %(low)s") % {"low": low}
    return _("at most %(high)s") % {"high": high} if high else _("any value")


def _with_unit(value: float, unit: str) -> str:
    return f"{with_separator(number_text(value))} {unit}".strip()


def _row(parameter: dict[str, Any], units: System) -> dict[str, Any]:
    """Return a parameter in the language and units of the page."""
    unit = parameter["unit"]
    row = parameter | {"source": slugify(parameter["origin"]), "unit": shown_unit(unit, units)}
    row |= {name: named(parameter[name]) for name in ("label", "group", "note")}
    row["value"] = named(shown_number(parameter["value"], unit, units))
    row["allowed"] = ", ".join(map(named, parameter["choices"])) or _range(parameter, units)
    if parameter["value"] != parameter["default"]:
        row["usual"] = named(shown_number(parameter["default"], unit, units))
    return row


def _range(parameter: dict[str, Any], units: System) -> str:
    ends = (parameter["low"], parameter["high"])
    return _limits(*(None if end is None else shown_number(end, parameter["unit"], units) for end in ends))


def _matches(row: dict[str, Any], wanted: str, text: str) -> bool:
    words = f"{row['label']} {row['name']} {row['group']} {row['note']}".casefold()
    return (not wanted or row["source"] == wanted) and text in words


def _grouped(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups in the order in which they first appear."""
    order = list(dict.fromkeys(row["group"] for row in rows))
    return sorted(rows, key=lambda row: order.index(row["group"]))


def _sources(rows: list[dict[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """Return the source filters, each with its count and its place in a bar that is 100 wide."""
    counts = Counter(row["origin"] for row in rows)
    found, at = [], 0.0
    for origin in _ORDER:
        if counts[origin]:
            width = 100 * counts[origin] / len(rows)
            key = slugify(origin)
            found.append({"key": key, "word": named(origin), "count": counts[origin], "chosen": key == wanted,
                          "percent": round(width), "at": f"{at:.2f}", "width": f"{width:.2f}"})  # fmt: skip
            at += width
    return found
