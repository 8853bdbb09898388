"""Database models of invitations and API tokens."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from twin.fleet.models import Organisation
from twin.fleet.permissions import Permission, Role
from twin.fleet.scope import TenantModel


class Invitation(TenantModel):
    """A link that lets one person join an organisation until it expires.

    Only the digest of its token is stored.
    """

    needs = Permission.MEMBERS

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role.choices)
    note = models.CharField(
        max_length=100, help_text=_("The name or e-mail address of the person you invite.")
    )
    digest = models.BinaryField(max_length=32, unique=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return f"{self.note} ({self.organisation})"

    def is_open(self, now: datetime | None = None) -> bool:
        return (
            self.accepted_at is None
            and self.withdrawn_at is None
            and self.expires_at > (now or timezone.now())
        )


class ApiToken(TenantModel):
    """A token that lets a person's program use the API in one organisation, with at most the given role."""

    needs = Permission.TOKENS

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="api_tokens")
    role = models.CharField(max_length=20, choices=Role.choices)
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=8, unique=True, editable=False)
    digest = models.BinaryField(max_length=32, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, editable=False)  # to the minute
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
