"""Creates organisations, members, machines, devices and tokens, and shares machines. Validates all input."""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from twin.audit.log import PLATFORM, Author, record
from twin.audit.models import Action
from twin.fleet import tokens
from twin.fleet.models import Device, DeviceToken, Grant, Kind, Machine, Membership, Organisation
from twin.fleet.permissions import Role

MAX_VALID_TOKENS = 2  # the current one and its replacement


class Refused(ValueError):
    """The operation is not possible; the message tells the person what to do."""


class TooManyTokens(Refused):
    """The device already has two valid tokens."""


@transaction.atomic
def create_organisation(
    name: str, administrator: User | None = None, kind: Kind = Kind.OWNER
) -> Organisation:
    organisation = Organisation(name=name, kind=kind)
    organisation.full_clean()
    organisation.save()
    if administrator is not None:
        add_member(organisation, administrator, Role.ADMINISTRATOR)
    return organisation


def add_member(organisation: Organisation, user: User, role: Role) -> Membership:
    membership = Membership(organisation=organisation, user=user, role=role)
    membership.full_clean()
    membership.save()
    return membership


@transaction.atomic
def create_machine(
    organisation: Organisation,
    name: str,
    model: str = "four-bar-b",
    parameters: dict[str, Any] | None = None,
) -> Machine:
    """Create a machine.

    Raises ValidationError with simcore's message if the model or a parameter is wrong.
    """
    machine = Machine(organisation=organisation, name=name, model=model, parameters=parameters or {})
    machine.full_clean()
    machine.save()
    return machine


@transaction.atomic
def share(author: Author, machine: Machine, code: UUID) -> Grant:
    """Share a machine with another organisation, named by its code: organisations cannot be listed."""
    organisation = Organisation.objects.for_runtime().filter(pk=code).first()
    if organisation is None:
        raise Refused(
            _("No organisation has the code %(code)s. Ask the other organisation for its code.")
            % {"code": code}
        )
    grant = Grant(machine=machine, organisation=organisation)
    grant.full_clean()
    grant.save()
    _record_both(author, grant, Action.SHARED)
    return grant


@transaction.atomic
def stop_sharing(author: Author, grant: Grant) -> None:
    _record_both(author, grant, Action.UNSHARED)
    grant.delete()


def _record_both(author: Author, grant: Grant, action: Action) -> None:
    """Record the event in the audit logs of both organisations; each log names the other organisation."""
    owner = grant.machine.organisation
    record(author, owner, action, grant.machine, grant.organisation.name)
    record(author, grant.organisation, action, grant.machine, owner.name)


def create_device(machine: Machine, name: str) -> Device:
    device = Device(machine=machine, name=name)
    device.full_clean()
    device.save()
    return device


@transaction.atomic
def issue_token(device: Device, over_mqtt: bool = True, author: Author = PLATFORM) -> str:
    """Issue a token for a device; return its text.

    It can be shown only now: only digest and verifier are stored.
    """
    if len(_valid_tokens(device)) >= MAX_VALID_TOKENS:
        raise TooManyTokens(f"{device} has {MAX_VALID_TOKENS} valid tokens; revoke one first")
    token = tokens.make()
    verifier = token.verifier if over_mqtt else ""  # without a verifier the broker has no such account
    DeviceToken.objects.create(device=device, prefix=token.prefix, digest=token.digest, verifier=verifier)
    _record_token(author, device, Action.DEVICE_TOKEN_ISSUED, token.prefix)
    return token.text


@transaction.atomic
def rotate_token(device: Device, over_mqtt: bool = True, author: Author = PLATFORM) -> str:
    """Issue a new token.

    The newest existing token stays valid, so that the device can switch to the new one.
    """
    for outdated in _valid_tokens(device)[: 1 - MAX_VALID_TOKENS]:
        revoke_token(outdated, author)
    return issue_token(device, over_mqtt, author)


@transaction.atomic
def revoke_token(token: DeviceToken, author: Author = PLATFORM) -> None:
    """Revoke a token; every ingest process refuses the token as soon as it receives the control event."""
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        _record_token(author, token.device, Action.DEVICE_TOKEN_REVOKED, token.prefix)


def _record_token(author: Author, device: Device, action: Action, prefix: str) -> None:
    record(author, device.machine.organisation, action, f"{device.machine}: {device}", prefix)


def _valid_tokens(device: Device) -> list[DeviceToken]:
    """Return the valid tokens, oldest first.

    Locks the device's row: two parallel rotations must not leave three.
    """
    Device.objects.for_runtime().select_for_update().get(pk=device.pk)
    return list(DeviceToken.objects.for_runtime().filter(device=device, revoked_at=None))
