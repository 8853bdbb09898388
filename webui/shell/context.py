"""What the frame around every page needs to know."""

from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, str]:
    """`nav`: the section of the page, to be marked in the navigation; a machine belongs to the fleet."""
    match = request.resolver_match
    section = match.namespace if match is not None else ""
    return {"nav": "fleet" if section == "live" else section}
