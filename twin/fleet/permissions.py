"""Defines roles and permissions in one table, which pages, the API, sockets, jobs and the admin all use.

A person has one role in each organisation. The role's permissions apply to the organisation's own machines;
on machines that other organisations share with it, only the permissions in SHARED apply. No role applies to
all organisations: operators of the platform need a membership too.
"""

from collections.abc import Iterator
from typing import NamedTuple

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    FLEET_MANAGER = "fleet_manager", _("Fleet manager")
    OPERATOR = "operator", _("Operator")
    MAINTENANCE = "maintenance", _("Maintenance")
    CUSTOMER = "customer", _("Customer")
    ENGINEER = "engineer", _("Engineer")
    ADMINISTRATOR = "administrator", _("Administrator")


class Permission(models.TextChoices):
    WATCH = "watch", _("See live data and models of machines")
    HISTORY = "history", _("Read and export telemetry history")
    TOKENS = "tokens", _("Create personal API tokens")
    CONNECT = "connect", _("Connect devices and replace their tokens")
    SITES = "sites", _("Create sites and assign machines to them")
    WEBHOOKS = "webhooks", _("Send events to other systems")
    SHARE = "share", _("Share machines with other organisations")
    MEMBERS = "members", _("Invite people, change roles, remove members")
    AUDIT = "audit", _("Read the audit log")


_P, _R = Permission, Role
_USING = {_P.WATCH, _P.HISTORY, _P.TOKENS}
_RUNNING = _USING | {_P.CONNECT, _P.WEBHOOKS}

TABLE: dict[Role, frozenset[Permission]] = {
    _R.FLEET_MANAGER: frozenset(_RUNNING | {_P.SHARE, _P.SITES}),
    _R.OPERATOR: frozenset({_P.WATCH}),
    _R.MAINTENANCE: frozenset(_USING),
    _R.CUSTOMER: frozenset(_USING),
    _R.ENGINEER: frozenset(_RUNNING),
    _R.ADMINISTRATOR: frozenset(Permission),
}
SHARED = frozenset({_P.WATCH, _P.HISTORY})  # on machines shared by another organisation

ROLE_NOTES: dict[Role, Promise] = {
    _R.FLEET_MANAGER: _("Manages machines, devices, sharing and webhooks."),
    _R.OPERATOR: _("Operates a machine and sees its live data."),
    _R.MAINTENANCE: _("Uses live data and history to find faults in machines."),
    _R.CUSTOMER: _("Owns machines, sees their live data, and reads and exports their history."),
    _R.ENGINEER: _("Connects machines and other systems, and works with machine data."),
    _R.ADMINISTRATOR: _("Has every permission and manages the permissions of others."),
}


def allows(role: str, permission: Permission) -> bool:
    """Return whether a role includes a permission; an unknown role includes none."""
    return role in TABLE and permission in TABLE[Role(role)]


def roles_with(permission: Permission) -> list[Role]:
    return [role for role, allowed in TABLE.items() if permission in allowed]


class TableRow(NamedTuple):
    """A row of the permission table that pages show: one mark per role, in the order of Role."""

    label: str
    marks: list[bool]
    shared: bool


def table_rows() -> Iterator[TableRow]:
    for permission in Permission:
        marks = [permission in TABLE[role] for role in Role]
        yield TableRow(str(permission.label), marks, permission in SHARED)
