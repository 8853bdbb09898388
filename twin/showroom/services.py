"""Creates a new organisation with a demo machine, and connects its own machines. Validates all input."""

from datetime import timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from simcore import registry
from twin.audit.log import Author
from twin.fleet import catalogue, services
from twin.fleet.models import Machine, Organisation
from twin.showroom.models import Exhibit

DEMO_MODEL = "four-bar-b"  # the cheapest machine to emulate
DEMO_LASTS = timedelta(hours=24)
DEMO_NAME, DEMO_DEVICE = "Demo rig", "Emulated controller"
OWN_DEVICE = "Controller"


class Connected(NamedTuple):
    """A new machine with the token of its device, which is shown only once."""

    machine: Machine
    token: str


def offered_models() -> list[tuple[str, str]]:
    """Return the models from which customers may choose, with their display names."""
    return [(name, catalogue.kind(name)) for name, profile in registry.profiles().items() if profile.offered]


@transaction.atomic
def found_organisation(name: str, founder: User) -> tuple[Organisation, Machine]:
    """Create an organisation with a running demo machine; its founder becomes administrator."""
    organisation = services.create_organisation(name, administrator=founder)
    machine = services.create_machine(organisation, DEMO_NAME, DEMO_MODEL)
    device = services.create_device(machine, DEMO_DEVICE)
    Exhibit.objects.create(device=device, until=timezone.now() + DEMO_LASTS)
    return organisation, machine


@transaction.atomic
def connect_machine(organisation: Organisation, name: str, model: str, author: Author) -> Connected:
    """Create a machine of the organisation, with a device and its token."""
    machine = services.create_machine(organisation, name, model)
    device = services.create_device(machine, OWN_DEVICE)
    return Connected(machine, services.issue_token(device, author=author))
