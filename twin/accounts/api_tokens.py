"""Creates and revokes API tokens, and identifies the person to whom a token belongs."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from twin.accounts.models import ApiToken
from twin.audit.log import Author, record
from twin.audit.models import Action
from twin.fleet import tokens
from twin.fleet.models import Membership, Organisation
from twin.fleet.permissions import TABLE, Permission, Role, roles_with
from twin.fleet.services import Refused

NOTED_EVERY = timedelta(minutes=1)
MOST = 20  # valid tokens of one person in one organisation


def roles_below(membership: Membership) -> list[Role]:
    """Return the roles that this member may give to a token: none with more permissions than the member."""
    own = TABLE[Role(membership.role)]
    return [role for role in Role if TABLE[role] <= own]


@transaction.atomic
def make(
    author: Author,
    user: User,
    organisation: Organisation,
    role: Role,
    name: str,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a token; return its row and its text.

    The text can be shown only now: only its digest is stored.
    """
    memberships = Membership.objects.for_user(user, Permission.TOKENS).select_for_update(of=("self",))
    membership = memberships.filter(user=user, organisation=organisation).first()
    if membership is None or role not in roles_below(membership):
        raise Refused(_("A token cannot have more permissions than your own role."))
    rows = ApiToken.objects.for_runtime().filter(user=user, organisation=organisation)
    if sum(row.is_valid(timezone.now()) for row in rows) >= MOST:
        raise Refused(
            _("You already have %(most)d valid tokens, the largest number allowed. Revoke one first.")
            % {"most": MOST}
        )
    token = tokens.make(tokens.API)
    row = ApiToken(user=user, organisation=organisation, role=role, name=name, expires_at=expires_at)
    row.prefix, row.digest = token.prefix, token.digest
    row.full_clean()
    row.save()
    record(author, organisation, Action.API_TOKEN_MADE, row, role)
    return row, token.text


@transaction.atomic
def revoke(author: Author, token: ApiToken) -> None:
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        record(author, token.organisation, Action.API_TOKEN_REVOKED, token)


def identify(text: str) -> User | None:
    """Return the person to whom a token belongs, limited to the token's organisation and role.

    The limit is enforced in `twin.fleet.scope`. Returns None if the token is unknown, wrong, revoked or
    expired, or if its owner has left the organisation.
    """
    prefix = tokens.prefix_of(text, tokens.API)
    if prefix is None:
        return None
    now = timezone.now()
    row = ApiToken.objects.for_runtime().filter(prefix=prefix).first()
    if row is None or not tokens.matches(text, row.digest) or not row.is_valid(now):
        return None
    user = User.objects.filter(pk=row.user_id, is_active=True).first()
    rows = Membership.objects.for_runtime().filter(organisation=row.organisation_id)
    if user is None or not rows.filter(user=user, role__in=roles_with(Permission.TOKENS)).exists():
        return None
    user.api_token = row  # type: ignore[attr-defined]
    if row.used_at is None or now - row.used_at > NOTED_EVERY:
        ApiToken.objects.for_runtime().filter(pk=row.pk).update(used_at=now)
    return user
