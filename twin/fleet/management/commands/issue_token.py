"""Issue a token for a device; it is printed once and stored nowhere."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from twin.fleet import services
from twin.fleet.models import Device


class Command(BaseCommand):
    help = "Print a new token for a device. With two valid tokens already, the older one is revoked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("device", type=UUID, help="id of the device, as the admin shows it")

    def handle(self, *args: Any, device: UUID, **options: Any) -> None:
        found = Device.objects.for_runtime().filter(pk=device).first()
        if found is None:
            raise CommandError(f"there is no device {device}")
        self.stdout.write(services.rotate_token(found))
