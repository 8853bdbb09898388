"""Creates and changes sites; validates all input."""

from collections.abc import Iterable
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from twin.fleet.models import Machine, Organisation
from twin.fleet.permissions import Permission
from twin.sites.models import Placement, Site


def managed_by(user: User | AnonymousUser) -> list[Organisation]:
    """Return the organisations whose sites this person may change."""
    return list(Organisation.objects.for_user(user, Permission.SITES))


@transaction.atomic
def save_site(site: Site, machines: Iterable[UUID]) -> Site:
    """Save a site with exactly these machines; machines of other sites move here."""
    site.full_clean()
    site.save()
    here = Machine.objects.for_runtime().filter(pk__in=list(machines), organisation=site.organisation)
    Placement.objects.for_runtime().filter(site=site).exclude(machine__in=here).delete()
    for machine in here:
        placement = Placement(machine=machine, site=site)
        placement.clean()
        placement.save()
    return site
