"""The list of machines."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from twin.fleet.models import Machine
from webui.fleet.last_frames import NEVER, TelemetryAway, last_seen


@require_safe
def machine_list(request: HttpRequest) -> HttpResponse:
    machines = list(Machine.objects.for_user(request.user).select_related("organisation"))
    telemetry_away = False
    try:
        seen = last_seen(machines)
    except TelemetryAway:
        telemetry_away = True
        seen = [NEVER] * len(machines)
    rows = [
        {
            "machine": machine,
            "organisation": machine.organisation,
            "status": state.status,
            "age_s": state.age_s,
            "reason": state.frame.reason if state.frame else "",
        }
        for machine, state in zip(machines, seen, strict=True)
    ]
    context = {"title": "Machines", "rows": rows, "telemetry_away": telemetry_away}
    return render(request, "fleet/machine_list.html", context)
