"""Creates a device token and prints it. Only a digest is stored, so the token cannot be shown again."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError

from twin.fleet import services
from twin.fleet.models import Device


class Command(BaseCommand):
    help = "Print a new token for a device. If the device has two valid tokens, the older one is revoked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("device", type=UUID, help="id of the device, as shown in the admin")

    def handle(self, *args: Any, device: UUID, **options: Any) -> None:
        try:
            found = Device.objects.for_runtime().filter(pk=device).first()
        except (OperationalError, ProgrammingError) as error:
            place = settings.DATABASES["default"]["NAME"]
            hint = "run `manage.py migrate` first, or set HYDRATWIN_DATA or HYDRATWIN_DATABASE_URL"
            raise CommandError(
                f"the database {place} cannot be used ({str(error).strip()}): {hint}"
            ) from None
        if found is None:
            raise CommandError(f"device {device} does not exist; the admin shows the ids of all devices")
        self.stdout.write(services.rotate_token(found))
