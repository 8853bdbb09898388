"""Lists the account and organisation pages that a person may open."""

from typing import Any, NamedTuple

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _

from twin.fleet.models import Membership
from twin.fleet.permissions import Permission, allows

register = template.Library()


class Link(NamedTuple):
    address: str
    label: str
    current: bool


class Group(NamedTuple):
    title: str
    links: list[Link]


@register.inclusion_tag("accounts/nav.html", takes_context=True)
def account_nav(context: dict[str, Any]) -> dict[str, Any]:
    request = context["request"]

    def link(name: str, label: str, **arguments: object) -> Link:
        address = reverse(name, kwargs=arguments)
        exact = name == "accounts:overview"
        here = request.path == address if exact else request.path.startswith(address)
        return Link(address, label, here)

    personal = [
        link("accounts:overview", _("Overview")),
        link("account_change_password", _("Password")),
        link("mfa_index", _("Second factor")),
        link("accounts:sessions", _("Sessions")),
        link("accounts:tokens", _("API tokens")),
    ]
    groups = [Group(_("Your account"), personal)]
    sections = (
        (Permission.MEMBERS, "organisation:members", _("Members")),
        (Permission.MEMBERS, "organisation:roles", _("Roles")),
        (Permission.SHARE, "organisation:sharing", _("Sharing")),
        (Permission.WEBHOOKS, "organisation:webhooks", _("Webhooks")),
        (Permission.AUDIT, "organisation:audit", _("Audit log")),
    )
    rows = Membership.objects.for_user(request.user).filter(user=request.user.pk)
    for row in rows.select_related("organisation"):
        links = [
            link(name, label, organisation_id=row.organisation_id)
            for permission, name, label in sections
            if allows(row.role, permission)
        ]
        if links:
            groups.append(Group(row.organisation.name, links))
    return {"groups": groups, "overview": personal[0].current}
