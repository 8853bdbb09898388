"""Records account events in the audit log, whichever page or library causes them."""

from typing import Any

from allauth.account.signals import password_changed, password_reset
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from twin.audit.log import Author, record_account
from twin.audit.models import Action
from webui.accounts.author import address_of

_ACTIONS = {
    user_logged_in: Action.SIGNED_IN,
    user_logged_out: Action.SIGNED_OUT,
    password_changed: Action.PASSWORD_CHANGED,
    password_reset: Action.PASSWORD_RESET,
    authenticator_added: Action.FACTOR_ADDED,
    authenticator_removed: Action.FACTOR_REMOVED,
    authenticator_reset: Action.CODES_MADE,
}


@receiver(list(_ACTIONS))
def account_event(
    signal: Any, request: HttpRequest | None = None, user: User | None = None, **more: Any
) -> None:
    if user is not None and request is not None:
        author = Author(user, address_of(request))
        factor = more.get("authenticator")  # an app, or recovery codes
        record_account(author, user, _ACTIONS[signal], str(factor.type) if factor else "")


@receiver(user_login_failed)
def sign_in_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Record a failed sign-in for the account of that name, if any.

    The actor stays empty: no person has been identified.
    """
    user = User.objects.filter(username=credentials.get("username") or "").first()
    if user is not None and request is not None:
        record_account(Author(None, address_of(request)), user, Action.SIGN_IN_FAILED)
