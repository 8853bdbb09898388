"""Database model of a machine's usage totals, in SI units."""

from django.db import models

from twin.fleet.models import Machine
from twin.fleet.scope import TenantModel


class Usage(TenantModel):
    """Totals since the time `since`. Only times in which the twin followed its machine count."""

    organisation_path = "machine__organisation"
    machine_path = "machine"

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="usage")
    since = models.DateTimeField(auto_now_add=True)
    until_us = models.BigIntegerField(default=0)  # machine time up to which frames are counted
    run_s = models.FloatField(default=0.0)
    energy_joule = models.FloatField(default=0.0)  # from the pump to the oil, estimated
    fuel_kg = models.FloatField(null=True, default=None)  # estimated; None: the model has no engine
    recent = models.JSONField(default=list)  # [part, J, s] of the last minutes, oldest first

    def __str__(self) -> str:
        return f"{self.run_s / 3600:.1f} h"
