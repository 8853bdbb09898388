"""Which machines are fed by the platform itself."""

from django.db import models

from twin.fleet.models import Device
from twin.fleet.scope import TenantModel


class Exhibit(TenantModel):
    """A device whose telemetry comes from the platform's own emulated rig, until some time."""

    organisation_path = "device__machine__organisation"

    device = models.OneToOneField(Device, on_delete=models.CASCADE, primary_key=True, related_name="exhibit")
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.device} until {self.until:%Y-%m-%d %H:%M}"
