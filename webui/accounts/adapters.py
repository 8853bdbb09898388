"""Adapts allauth to the platform: who may sign up, how secrets are stored, and how sessions end."""

import logging
from collections.abc import Iterable
from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from twin.audit.log import record_account
from twin.audit.models import Action
from twin.sealed import seal, unseal
from webui.accounts.author import address_of, author_of

log = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("Wrong user name or password. Both are case-sensitive."),
        "incorrect_password": _("Wrong password. Passwords are case-sensitive; try again."),
        "enter_current_password": _(
            "This is not your current password. If you forgot it, sign out and ask for a new one by e-mail."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: accounts are created only from invitations."""
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Do nothing: django-axes counts wrong passwords.

        It counts per name and address, so that one address cannot lock out another.
        """

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request)

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send a note about a change that is already made; if the mail fails, the change must stay."""
        try:
            super().send_notification_mail(*args, **kwargs)
        except OSError as error:  # SMTP errors are among them
            log.warning("note about a changed account not sent: %s", error)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _(
            "This code is not valid. Enter the code that the app shows now. If no code "
            "works, check that your phone shows the correct time."
        ),
    }

    def encrypt(self, text: str) -> str:
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text)


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]  # allauth has no types
    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        """End the sessions; their open sockets then close in every process (webui.sockets.signals)."""
        ended = list(sessions)
        super().end_sessions(ended)
        for session in ended:
            record_account(author_of(context.request), session.user, Action.SESSION_ENDED, str(session.ip))
