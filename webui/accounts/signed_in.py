"""The person behind a request."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


def signed_in(request: HttpRequest) -> User:
    """The user of a page that needs a sign-in; such a page never sees an anonymous one."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
