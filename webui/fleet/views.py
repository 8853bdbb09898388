"""The list of machines."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from twin.fleet.models import Machine
from webui.fleet.last_frames import UNKNOWN, Seen, last_seen_if_known


@require_safe
def machine_list(request: HttpRequest) -> HttpResponse:
    machines = list(Machine.objects.for_user(request.user).select_related("organisation"))
    seen = last_seen_if_known(machines)
    rows = [_row(machine, state or UNKNOWN) for machine, state in zip(machines, seen, strict=True)]
    context = {"rows": rows, "telemetry_away": None in seen}
    return render(request, "fleet/machine_list.html", context)


def _row(machine: Machine, seen: Seen) -> dict[str, Any]:
    return {
        "machine": machine,
        "organisation": machine.organisation,
        "status": seen.status,
        "age_s": seen.age_s,
        "reason": _reason(seen),
    }


def _reason(seen: Seen) -> str:
    if seen is UNKNOWN:
        return "The telemetry server does not answer."
    return seen.frame.reason if seen.frame else ""
