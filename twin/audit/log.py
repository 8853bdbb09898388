"""Writes audit entries in the same transaction as the action that they record."""

from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from twin.audit.models import Action, Entry
from twin.fleet.models import Membership, Organisation
from twin.text import printable, shortened

TARGET, DETAIL = 200, 300  # characters


class Author(NamedTuple):
    """The person who acts, and their network address. If there is no user, the platform itself acts."""

    user: AbstractBaseUser | AnonymousUser | None = None
    address: str = ""

    @property
    def account(self) -> AbstractBaseUser | None:
        known = self.user is not None and self.user.is_authenticated
        return self.user if known else None  # type: ignore[return-value]


PLATFORM = Author()


def record(
    author: Author, organisation: Organisation, action: Action, target: object = "", detail: str = ""
) -> None:
    """Record an event in the audit log of an organisation."""
    account = author.account
    Entry.objects.create(
        organisation=organisation,
        actor_id=account.pk if account else None,
        actor_name=account.get_username() if account else "",
        action=action,
        target=shortened(str(target), TARGET),
        detail=shortened(detail, DETAIL),
        address=printable(author.address)[:45],
    )


def record_account(author: Author, account: AbstractBaseUser, action: Action, detail: str = "") -> None:
    """Record an event of a person's account in the audit logs of all their organisations."""
    for membership in Membership.objects.for_runtime().filter(user=account.pk).select_related("organisation"):
        record(author, membership.organisation, action, account.get_username(), detail)
