"""The author of a request, for the audit log."""

from django.http import HttpRequest

from twin.audit.log import Author


def author_of(request: HttpRequest) -> Author:
    return Author(request.user, address_of(request))


def address_of(request: HttpRequest) -> str:
    """The client's address as uvicorn determined it (SECURITY.md, behind a proxy)."""
    return str(request.META.get("REMOTE_ADDR", ""))
