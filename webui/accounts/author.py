"""Determines who made a request and from which address, for the audit log."""

from django.http import HttpRequest

from twin.audit.log import Author


def author_of(request: HttpRequest) -> Author:
    return Author(request.user, address_of(request))


def address_of(request: HttpRequest) -> str:
    """Return the client's address as determined by uvicorn (behind a proxy: see SECURITY.md)."""
    return str(request.META.get("REMOTE_ADDR", ""))
