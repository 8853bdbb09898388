"""Making and changing sites. Everything is validated here, whoever asks."""

from collections.abc import Iterable
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from twin.fleet.models import Machine, Organisation
from twin.fleet.permissions import Permission
from twin.sites.models import Placement, Site


def managed_by(user: User | AnonymousUser) -> list[Organisation]:
    """The organisations whose plan this person may change."""
    return list(Organisation.objects.for_user(user, Permission.SITES))


@transaction.atomic
def save_site(site: Site, machines: Iterable[UUID]) -> Site:
    """Store a site, new or changed, with exactly these machines; whoever was elsewhere has moved here."""
    site.full_clean()
    site.save()
    here = Machine.objects.for_runtime().filter(pk__in=list(machines), organisation=site.organisation)
    Placement.objects.for_runtime().filter(site=site).exclude(machine__in=here).delete()
    for machine in here:
        placement = Placement(machine=machine, site=site)
        placement.clean()
        placement.save()
    return site
