"""Database model of demo machines: devices whose telemetry the platform itself sends."""

from django.db import models

from twin.fleet.models import Device
from twin.fleet.scope import TenantModel


class Exhibit(TenantModel):
    """The device of a demo machine; the platform's emulated rig sends its telemetry until `until`."""

    organisation_path = "device__machine__organisation"

    device = models.OneToOneField(Device, on_delete=models.CASCADE, primary_key=True, related_name="exhibit")
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.device} until {self.until:%Y-%m-%d %H:%M}"
