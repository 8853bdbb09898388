"""The page of one machine."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from twin.fleet.catalogue import kind
from twin.fleet.models import Machine
from webui.fleet.last_frames import rivals_if_known
from webui.live.channels import describe_channels, virtual_sensors


@require_safe
def machine_page(request: HttpRequest, machine_id: UUID) -> HttpResponse:
    machines = Machine.objects.for_user(request.user).select_related("organisation")
    machine = get_object_or_404(machines, pk=machine_id)
    page_data = {
        "id": str(machine.pk),
        "name": machine.name,
        "model": machine.model,
        "socket": f"/ws/machines/{machine.pk}/",
        "channels": describe_channels(machine),
        "scene": machine.scene(),
        "delay_us": settings.TELEMETRY_DELAY_US,
    }
    context = {"machine": machine, "organisation": machine.organisation, "page_data": page_data}
    context["kind"] = kind(machine.model)
    context["virtual"] = virtual_sensors(machine)
    context["rivals"] = rivals_if_known(machine)
    return render(request, "live/machine.html", context)
