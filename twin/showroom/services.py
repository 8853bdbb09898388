"""The first steps of an organisation. Everything is validated here, whoever asks."""

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

EXHIBIT_MODEL = "four-bar-b"  # the rig that the platform can emulate at next to no cost
EXHIBIT_LASTS = timedelta(hours=24)
EXHIBIT_NAME, EXHIBIT_DEVICE = "Demo rig", "Emulated controller"
OWN_DEVICE = "Controller"


class Connected(NamedTuple):
    """A machine and the token of its device, which is told this once."""

    machine: Machine
    token: str


def offered_models() -> list[tuple[str, str]]:
    """Models that customers may choose from, and what people call them."""
    return [(name, catalogue.kind(name)) for name, profile in registry.profiles().items() if profile.offered]


@transaction.atomic
def found_organisation(name: str, founder: User) -> tuple[Organisation, Machine]:
    """An organisation with its founder as administrator, and a machine that runs already."""
    organisation = services.create_organisation(name, administrator=founder)
    machine = services.create_machine(organisation, EXHIBIT_NAME, EXHIBIT_MODEL)
    device = services.create_device(machine, EXHIBIT_DEVICE)
    Exhibit.objects.create(device=device, until=timezone.now() + EXHIBIT_LASTS)
    return organisation, machine


@transaction.atomic
def connect_machine(organisation: Organisation, name: str, model: str, author: Author) -> Connected:
    """A new machine of the organisation with a device that may send for it."""
    machine = services.create_machine(organisation, name, model)
    device = services.create_device(machine, OWN_DEVICE)
    return Connected(machine, services.issue_token(device, author=author))
