"""Determines the person who makes a request."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


def signed_in(request: HttpRequest) -> User:
    """Return the user of a page that requires signing in; such a page is never shown to an anonymous user."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
