"""Invites people, changes the roles of members and removes them; each action is recorded in the audit log."""

import hashlib
import secrets
from datetime import timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from twin.accounts.models import Invitation
from twin.audit.log import Author, record
from twin.audit.models import Action
from twin.fleet.models import Membership, Organisation
from twin.fleet.permissions import Role
from twin.fleet.services import Refused, add_member

LIFETIME = timedelta(days=7)


class NewInvitation(NamedTuple):
    row: Invitation
    token: str  # for the link, shown once


@transaction.atomic
def invite(author: Author, organisation: Organisation, role: Role, note: str) -> NewInvitation:
    token = secrets.token_urlsafe(32)
    row = Invitation(
        organisation=organisation,
        role=role,
        note=note,
        digest=_digest(token),
        invited_by_id=author.account.pk if author.account else None,
        expires_at=timezone.now() + LIFETIME,
    )
    row.full_clean()
    row.save()
    record(author, organisation, Action.INVITED, note, Role(role).name.lower())
    return NewInvitation(row, token)


def find_invitation(token: str, lock: bool = False) -> Invitation | None:
    """Find an invitation by the token in its link; the link is the only proof."""
    rows = Invitation.objects.for_runtime().select_related("organisation")
    if lock:
        rows = rows.select_for_update(of=("self",))
    return rows.filter(digest=_digest(token)).first()


@transaction.atomic
def withdraw(author: Author, invitation: Invitation) -> None:
    if invitation.is_open():
        invitation.withdrawn_at = timezone.now()
        invitation.save(update_fields=["withdrawn_at"])
        record(author, invitation.organisation, Action.INVITATION_WITHDRAWN, invitation.note)


@transaction.atomic
def accept(author: Author, token: str, user: User) -> Membership:
    """Accept an invitation.

    Raises Refused if it is used, withdrawn or expired, or the person is already a member.
    """
    invitation = find_invitation(token, lock=True)  # of two requests, the second finds it used
    if invitation is None or not invitation.is_open():
        raise Refused(_("This invitation is no longer valid. Ask for a new one."))
    organisation = invitation.organisation
    if Membership.objects.for_runtime().filter(user=user, organisation=organisation).exists():
        raise Refused(_("You are already a member of %(name)s.") % {"name": organisation})
    membership = add_member(organisation, user, Role(invitation.role))
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    record(author._replace(user=user), organisation, Action.JOINED, invitation.note, membership.role)
    return membership


@transaction.atomic
def change_role(author: Author, membership: Membership, role: Role) -> None:
    if membership.role == role:
        return
    if membership.role == Role.ADMINISTRATOR:
        _keep_an_administrator(membership)
    before, membership.role = membership.role, role
    membership.full_clean()
    membership.save(update_fields=["role"])
    detail = f"{before} → {membership.role}"
    record(author, membership.organisation, Action.ROLE_CHANGED, membership.user, detail)


@transaction.atomic
def remove(author: Author, membership: Membership) -> None:
    if membership.role == Role.ADMINISTRATOR:
        _keep_an_administrator(membership)
    record(author, membership.organisation, Action.MEMBER_REMOVED, membership.user, membership.role)
    membership.delete()


def _keep_an_administrator(membership: Membership) -> None:
    """Lock the organisation's row, so that two administrators cannot remove each other at the same time."""
    Organisation.objects.for_runtime().select_for_update().get(pk=membership.organisation_id)
    rows = Membership.objects.for_runtime().filter(
        organisation=membership.organisation_id, role=Role.ADMINISTRATOR
    )
    if not rows.exclude(pk=membership.pk).exists():
        raise Refused(
            _("An organisation needs at least one administrator. Make someone else an administrator first.")
        )


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
