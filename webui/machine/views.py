"""The page of one machine."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from twin.fleet.catalogue import kind
from twin.fleet.models import Machine
from twin.fleet.permissions import Permission
from webui import words
from webui.fleet.last_frames import shared_token_if_known
from webui.machine.channel_relations import openings, powers
from webui.machine.channels import shown_channels, virtual_sensors
from webui.machine.circuit.drawing import draw
from webui.machine.circuit.words import named
from webui.machine.gauges import dials, missing
from webui.machine.part_names import names_of
from webui.units import System, units_of

_BESIDE = 2  # gauges that fit beside the 3D view
_FEW = 16  # virtual sensors shown unfolded


@require_safe
def machine_page(request: HttpRequest, machine_id: UUID) -> HttpResponse:
    machines = Machine.objects.for_user(request.user).select_related("organisation")
    machine = get_object_or_404(machines, pk=machine_id)
    readable = Machine.objects.for_user(request.user, Permission.HISTORY)
    own = {"may_export": readable.filter(pk=machine_id).exists()}
    return render(request, "machine/machine.html", page_context(machine, units_of(request)) | own)


def page_context(machine: Machine, system: System = "metric") -> dict[str, Any]:
    """Return the context of the page's template."""
    description = machine.description()
    page_data = {
        "id": str(machine.pk),
        "name": machine.name,
        "model": machine.model,
        "socket": f"/ws/machines/{machine.pk}/",
        "channels": shown_channels(machine),
        "names": names_of(description),
        "scene": machine.scene(),
        "sources": {source.name: float(source.pressure) for source in description.sources},
        "openings": openings(description),
        "powers": powers(description),
        "delay_us": settings.TELEMETRY_DELAY_US,
    }
    own = {"machine": machine, "organisation": machine.organisation, "page_data": page_data}
    return own | _panels(machine, system)


def _panels(machine: Machine, system: System) -> dict[str, Any]:
    """Return the context of the panels; a panel with nothing to show is left out."""
    drawing = draw(machine.description())
    virtual = virtual_sensors(machine)
    return {
        "kind": words.named(kind(machine.model)),
        "circuit": drawing,
        "named": None if drawing is None else named(drawing),
        "dials": (gauges := dials(machine, system)),
        "few_dials": 0 < len(gauges) <= _BESIDE,
        "missing_gauges": missing(machine),
        "efficiency": powers(machine.description()) is not None,
        "virtual": virtual,
        "many_virtual": sum(len(channels) for _, channels in virtual) > _FEW,
        "rivals": shared_token_if_known(machine),
    }
