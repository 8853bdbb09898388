"""The audit log. Entries can be added, but never changed or removed."""

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from twin.fleet.models import Organisation
from twin.fleet.permissions import Permission
from twin.fleet.scope import ScopedQuerySet, TenantModel


class Action(models.TextChoices):
    SIGNED_IN = "signed_in", _("Signed in")
    SIGN_IN_FAILED = "sign_in_failed", _("Failed to sign in")
    SIGNED_OUT = "signed_out", _("Signed out")
    PASSWORD_CHANGED = "password_changed", _("Changed the password")
    PASSWORD_RESET = "password_reset", _("Reset the password by e-mail")
    EMAIL_CHANGED = "email_changed", _("Changed the e-mail address")
    FACTOR_ADDED = "factor_added", _("Turned the second factor on")
    FACTOR_REMOVED = "factor_removed", _("Turned the second factor off")
    CODES_MADE = "codes_made", _("Created new recovery codes")
    SESSION_ENDED = "session_ended", _("Ended a session")
    INVITED = "invited", _("Invited a person")
    INVITATION_WITHDRAWN = "invitation_withdrawn", _("Withdrew an invitation")
    JOINED = "joined", _("Accepted an invitation")
    ROLE_CHANGED = "role_changed", _("Changed a role")
    MEMBER_REMOVED = "member_removed", _("Removed a member")
    SHARED = "shared", _("Shared a machine")
    UNSHARED = "unshared", _("Stopped sharing a machine")
    DEVICE_TOKEN_ISSUED = "device_token_issued", _("Issued a device token")
    DEVICE_TOKEN_REVOKED = "device_token_revoked", _("Revoked a device token")
    API_TOKEN_MADE = "api_token_made", _("Created an API token")
    API_TOKEN_REVOKED = "api_token_revoked", _("Revoked an API token")
    WEBHOOK_ADDED = "webhook_added", _("Added a webhook")
    WEBHOOK_CHANGED = "webhook_changed", _("Changed a webhook")
    WEBHOOK_REMOVED = "webhook_removed", _("Removed a webhook")
    EXPORTED = "exported", _("Exported history")
    ADMIN_ADDED = "admin_added", _("Added on the admin site")
    ADMIN_CHANGED = "admin_changed", _("Changed on the admin site")
    ADMIN_REMOVED = "admin_removed", _("Removed on the admin site")


class AppendOnly(TypeError):
    """Raised on an attempt to change or remove an audit entry."""


def _refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
    raise AppendOnly("entries of the audit log cannot be changed or removed")


class EntryQuerySet(ScopedQuerySet["Entry"]):
    update = delete = bulk_update = update_or_create = _refuse


class Entry(TenantModel):
    """One event in one organisation.

    Names are stored as text, because an entry outlives the objects that it names.
    """

    needs = Permission.AUDIT

    at = models.DateTimeField(auto_now_add=True)
    organisation = models.ForeignKey(Organisation, on_delete=models.SET_NULL, null=True, related_name="+")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    actor_name = models.CharField(max_length=150)  # empty: the platform itself
    action = models.CharField(max_length=30, choices=Action.choices)
    target = models.CharField(max_length=200, blank=True)
    detail = models.CharField(max_length=300, blank=True)
    address = models.CharField(max_length=45, blank=True)  # IPv4 or IPv6

    objects: ClassVar[Any] = models.Manager.from_queryset(EntryQuerySet)()

    class Meta:
        ordering = ("-at", "-id")
        verbose_name_plural = "entries"
        indexes = (models.Index(fields=("organisation", "-at"), name="audit_by_time"),)

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.target}".strip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            _refuse()
        super().save(*args, **kwargs)

    delete = _refuse
