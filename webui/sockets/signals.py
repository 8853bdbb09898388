"""Announces changes that may end a person's access: to memberships, sharing, machines, sessions and accounts.

Model signals cover every way to make such a change: page, admin, command or cascade. The previous owner of a
row is looked up before the row is saved. The change is announced after the commit, because a check before the
commit would not see it.
"""

from collections.abc import Collection
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_delete, post_save, pre_save
from django.dispatch import receiver

from twin.fleet.models import Grant, Machine, Membership
from webui.sockets.access_revocation import announce_access_change

_BEFORE = "_had_it_before"  # attribute of a row between look-up and announcement


@receiver(pre_save, sender=Membership)
def membership_changes_hands(instance: Membership, **_: Any) -> None:
    """Remember the previous user, because the admin can move a membership to another user."""
    rows = Membership.objects.for_runtime().filter(pk=instance.pk).exclude(user=instance.user_id)
    setattr(instance, _BEFORE, list(rows.values_list("user", flat=True)))


@receiver([post_save, post_delete], sender=Membership)
def membership_changed(instance: Membership, created: bool = False, **_: Any) -> None:
    if not created:
        _announce(instance.user_id)
        for user_id in getattr(instance, _BEFORE, ()):
            _announce(user_id)


@receiver(post_delete, sender=Grant)
def sharing_stopped(instance: Grant, **_: Any) -> None:
    _announce_to_members(instance.organisation_id)


@receiver(post_delete, sender=Machine)
def machine_gone(instance: Machine, **_: Any) -> None:
    _announce_to_members(instance.organisation_id)


@receiver(pre_save, sender=Machine)
def machine_changes_hands(instance: Machine, **_: Any) -> None:
    rows = Machine.objects.for_runtime().filter(pk=instance.pk).exclude(organisation=instance.organisation_id)
    setattr(instance, _BEFORE, list(rows.values_list("organisation", flat=True)))


@receiver(post_save, sender=Machine)
def machine_changed_hands(instance: Machine, **_: Any) -> None:
    for organisation_id in getattr(instance, _BEFORE, ()):
        _announce_to_members(organisation_id)


@receiver(post_save, sender=User)
def account_changed(
    instance: User, created: bool, update_fields: Collection[str] | None = None, **_: Any
) -> None:
    """Announce a closed account, or a new password, which ends all sessions opened with the old one."""
    signing_in = update_fields is not None and set(update_fields) == {"last_login"}
    if not created and not signing_in:
        _announce(instance.pk)


@receiver(post_delete, sender=Session)
def session_ended(instance: Session, **_: Any) -> None:
    user_id = instance.get_decoded().get(SESSION_KEY)
    if user_id is not None:
        _announce(int(user_id))


def _announce_to_members(organisation_id: UUID) -> None:
    members = Membership.objects.for_runtime().filter(organisation=organisation_id)
    for user_id in members.values_list("user", flat=True):
        _announce(user_id)


def _announce(user_id: int) -> None:
    transaction.on_commit(partial(announce_access_change, user_id))
