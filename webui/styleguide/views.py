"""The style guide page. Most samples are in the template; the circuit and gauges come from real machines."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from twin.fleet.catalogue import build
from twin.fleet.models import Machine
from webui.machine.circuit import draw
from webui.machine.circuit.words import named
from webui.machine.gauges import dials
from webui.units import units_of


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    drawing = draw(build("four-bar-b", {}))
    assert drawing is not None  # noqa: S101  the rig has oil
    speed, payload, *_ = dials(Machine(model="excavator", parameters={}), units_of(request))
    context = {"circuit": drawing, "named": named(drawing), "speed": speed, "payload": payload}
    with translation.override("en"):  # like its samples; it is for developers
        return render(request, "styleguide/index.html", context | {"rows": _rows()})


def _rows() -> list[dict[str, Any]]:
    """Return an invented machine for every severity."""
    samples = (
        ("Loader crane 13", "act", "failed", "The twin has stopped: no convergence at 12.402 s.", None, 31.0),
        (
            "Excavator 25",
            "plan",
            "synced",
            "Boom rod pressure: the sensor is stuck. Check it.",
            41_300.0,
            0.2,
        ),
        ("Teaching rig", "stale", "stale", "No data for 12 min: check the device.", None, 742.0),
        ("New rig", "stale", "waiting", "No data yet: its device has not sent a sample.", None, None),
        ("Laboratory rig", "ok", "synced", "The twin follows the machine.", 1_280.0, 0.1),
    )
    spark = ",".join(str(round(20_000 + 18_000 * ((k * 7919) % 13) / 13)) for k in range(60))
    return [
        {
            "id": "", "name": name, "level": level, "status": status, "text": text, "power": power,
            "power_text": "–" if power is None else f"{power / 1000:.1f} kW", "age_s": age_s, "kind": "Rig",
            "site": "Hall 2", "spark": spark if power else "", "hours_text": "312.4 h",
            "used_text": "48.20 kWh", "used_label": "Energy", "health": "Estimates reliable", "words": name,
            "run_s": 0.0, "received_us": 0,
            "filter": {"level": level, "kind": "", "site": "", "organisation": ""},
        }
        for name, level, status, text, power, age_s in samples
    ]  # fmt: skip
