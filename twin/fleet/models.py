"""Database models of organisations, memberships, machines and their grants, devices and their tokens."""

import uuid
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from simcore.errors import UnknownCase
from simcore.model import Channel, channel_table, scene
from simcore.model import Machine as Description
from twin.fleet.catalogue import build
from twin.fleet.permissions import Permission, Role
from twin.fleet.scope import TenantModel


class Kind(models.TextChoices):
    OWNER = "owner", _("Owner")
    MANUFACTURER = "manufacturer", _("Manufacturer")
    DEALER = "dealer", _("Dealer")


class Organisation(TenantModel):
    """An owner, manufacturer or dealer of machines; every other row belongs to an organisation."""

    organisation_path = "pk"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.OWNER)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Membership(TenantModel):
    """A person's role in an organisation. Only members have access to an organisation."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        ordering = ("organisation", "user")
        constraints = (
            models.UniqueConstraint(
                fields=("user", "organisation"),
                name="one_membership_per_person",
                violation_error_message=_("This person is already a member of the organisation."),
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.organisation}"


class Machine(TenantModel):
    """A physical machine.

    `model` names its description in simcore; `parameters` override the description's defaults.
    """

    machine_path = "pk"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="machines")
    name = models.CharField(max_length=100)
    model = models.CharField(max_length=50, default="four-bar-b")
    parameters = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(
                fields=("organisation", "name"),
                name="machine_name_unique_in_organisation",
                violation_error_message=_("The organisation already has a machine with this name."),
            ),
        )

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        super().clean()
        if not isinstance(self.parameters, dict):
            raise ValidationError({"parameters": "Parameters must be a JSON object of names and values."})
        try:
            self.description()
        except ValueError as error:
            field = "model" if isinstance(error, UnknownCase) else "parameters"
            raise ValidationError({field: str(error)}) from None

    def description(self) -> Description:
        """Return the machine as simcore describes it; raises ValueError if model or parameters are wrong."""
        return build(self.model, self.parameters)

    def channels(self) -> tuple[Channel, ...]:
        """Return all channels, in the order in which frames contain them."""
        return channel_table(self.description())

    def scene(self) -> dict[str, Any]:
        """Return the shapes that the 3D view draws."""
        return scene(self.description())


class Grant(TenantModel):
    """Shares a machine with another organisation, whose members can then see it live and read its history."""

    organisation_path = "machine__organisation"  # the owner's; the other organisation sees only the machine
    needs = Permission.SHARE

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="grants")
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="grants")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("machine", "organisation")
        constraints = (
            models.UniqueConstraint(
                fields=("machine", "organisation"),
                name="one_grant_per_organisation",
                violation_error_message=_("The machine is already shared with this organisation."),
            ),
        )

    def __str__(self) -> str:
        return f"{self.machine} for {self.organisation}"

    def clean(self) -> None:
        super().clean()
        if self.machine.organisation_id == self.organisation_id:
            raise ValidationError({"organisation": _("The machine already belongs to this organisation.")})


class Device(TenantModel):
    """A controller or gateway that sends a machine's telemetry."""

    organisation_path = "machine__organisation"
    needs = Permission.CONNECT

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="devices")
    name = models.CharField(max_length=100)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class DeviceToken(TenantModel):
    """A token of a device: its prefix is used to find the row, its digest to verify the secret."""

    organisation_path = "device__machine__organisation"
    needs = Permission.CONNECT

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="tokens")
    prefix = models.CharField(max_length=8, unique=True, editable=False)
    digest = models.BinaryField(max_length=32, editable=False)
    verifier = models.CharField(max_length=200, default="", blank=True, editable=False)  # for the MQTT broker
    created = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("created", "id")

    def __str__(self) -> str:
        return f"{self.prefix} ({'revoked' if self.revoked_at else 'valid'})"
