"""Database models of webhooks, their deliveries, and the last reported state of each machine."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from twin.fleet.models import Machine, Organisation
from twin.fleet.permissions import Permission
from twin.fleet.scope import TenantModel


class EventType(models.TextChoices):
    STATUS = "machine.status_changed", _("A twin's status changed")
    SENSOR = "sensor.named", _("Sensor fault detected")
    TOKEN_SHARED = "device.token_shared", _("Two devices use the same token")
    PING = "ping", _("Test")


class Webhook(TenantModel):
    """The address of another system, and the events about the organisation's machines that it receives."""

    needs = Permission.WEBHOOKS

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=500)
    events = models.JSONField(default=list)
    sealed_secret = models.TextField(editable=False)
    active = models.BooleanField(default=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created",)

    def __str__(self) -> str:
        return self.url


class Delivery(TenantModel):
    """One event for one address. Receivers recognise a repeated delivery by its `id`."""

    organisation_path = "webhook__organisation"
    needs = Permission.WEBHOOKS

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=30, choices=EventType.choices)
    body = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField(null=True, db_index=True)  # None: delivered or given up
    delivered_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)  # HTTP status of the last answer
    error = models.CharField(max_length=200, blank=True)  # why the last attempt failed

    class Meta:
        ordering = ("-created",)
        verbose_name_plural = "deliveries"

    def __str__(self) -> str:
        return f"{self.event} {self.id}"

    @property
    def outcome(self) -> str:
        if self.delivered_at is not None:
            return "delivered"
        return "waiting" if self.next_try is not None else "failed"


class Told(TenantModel):
    """The last reported state of a machine; updated in the same transaction as the deliveries."""

    organisation_path = "machine__organisation"
    needs = Permission.WEBHOOKS

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="+")
    status = models.CharField(max_length=20)
    findings = models.JSONField(default=list)  # channel and kind of each
    rivals = models.BooleanField(default=False)  # two devices shared a token

    class Meta:
        verbose_name_plural = "told"

    def __str__(self) -> str:
        return f"{self.machine}: {self.status}"
