"""Database models of sites with their position on the organisation's plan. A machine has one site at most."""

import uuid

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from twin.fleet.models import Machine, Organisation
from twin.fleet.scope import TenantModel

FARTHEST_M = 1_000_000.0  # from the origin of the plan
_within = [MinValueValidator(-FARTHEST_M), MaxValueValidator(FARTHEST_M)]


class Kind(models.TextChoices):
    """The kind of a site, which decides how the site is drawn."""

    YARD = "yard", _("Yard")
    BUILDING = "building", _("Building site")
    QUARRY = "quarry", _("Quarry")
    WORKSHOP = "workshop", _("Workshop")


class Site(TenantModel):
    """A place of work. The plan's axes point east and north; the organisation chooses its origin."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="sites")
    name = models.CharField(_("name"), max_length=60)
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.YARD)
    east_m = models.FloatField(_("east"), validators=_within)
    north_m = models.FloatField(_("north"), validators=_within)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("organisation", "name"),
                name="one_site_of_a_name",
                violation_error_message=_("The organisation already has a site with this name."),
            ),
        )

    def __str__(self) -> str:
        return self.name


class Placement(TenantModel):
    """The site where a machine is placed."""

    organisation_path = "site__organisation"  # only the owner of a shared machine sees its site

    machine = models.OneToOneField(
        Machine, on_delete=models.CASCADE, primary_key=True, related_name="placement"
    )
    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="placements")

    class Meta:
        ordering = ("machine",)

    def __str__(self) -> str:
        return f"{self.machine} at {self.site}"

    def clean(self) -> None:
        super().clean()
        if self.site.organisation_id != self.machine.organisation_id:
            raise ValidationError(
                {
                    "site": _(
                        "The site and the machine belong to different organisations. Choose a site of the"
                        " machine's organisation."
                    )
                }
            )
