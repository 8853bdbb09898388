"""`python -m workers.demo.prepare`: database, static files, and the demo's people and machine.

May be run again at any time. Its last line is a JSON object with what the other processes need.
"""

import json
import os
import secrets
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

ORGANISATION = "Hydratwin demo"
MACHINE = "Laboratory rig"
DEVICE = "Rig controller"
PEOPLE = {"manager": "fleet_manager", "maintenance": "maintenance", "customer": "customer"}


def main() -> None:
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    _collect_static()
    passwords, fresh = _passwords(Path(settings.DATA_DIR) / "logins.json")
    machine, token = _fleet(passwords, fresh)
    sys.stdout.write(json.dumps({"machine": machine, "token": token, "logins": passwords}) + "\n")


def _passwords(path: Path) -> tuple[dict[str, str], bool]:
    """One password per person, readable by the owner of the file only; True if they were made just now."""
    if path.exists():
        kept: dict[str, str] = json.loads(path.read_text())
        if set(kept) == set(PEOPLE):
            return kept, False
    made = {name: secrets.token_urlsafe(9) for name in PEOPLE}
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(made, file)
    return made, True


def _fleet(passwords: dict[str, str], fresh: bool) -> tuple[str, str]:
    """The organisation with its people, machine and device; returns the machine's id and a new token."""
    from django.contrib.auth.models import User

    from twin.fleet import services
    from twin.fleet.models import Device, DeviceToken, Machine, Membership, Organisation, Role

    organisation = Organisation.objects.for_runtime().filter(name=ORGANISATION).first()
    organisation = organisation or services.create_organisation(ORGANISATION)
    for name, password in passwords.items():
        user = User.objects.filter(username=name).first()
        if user is None:
            user = User.objects.create_user(name, password=password)
        elif fresh:
            user.set_password(password)
            user.save()
        if not Membership.objects.for_runtime().filter(user=user, organisation=organisation).exists():
            services.add_member(organisation, user, Role(PEOPLE[name]))
    machine = Machine.objects.for_runtime().filter(organisation=organisation, name=MACHINE).first()
    machine = machine or services.create_machine(organisation, MACHINE)
    device = Device.objects.for_runtime().filter(machine=machine, name=DEVICE).first()
    device = device or services.create_device(machine, DEVICE)
    for old in DeviceToken.objects.for_runtime().filter(device=device, revoked_at=None):
        services.revoke_token(old)
    return str(machine.id), services.issue_token(device)


def _collect_static() -> None:
    """Only when a source is newer than what was collected: it takes as long as everything else together."""
    from django.contrib.staticfiles.finders import get_finders

    manifest = Path(str(settings.STATIC_ROOT)) / "staticfiles.json"
    collected = manifest.stat().st_mtime if manifest.exists() else 0.0
    sources = (
        Path(storage.path(path))
        for finder in get_finders()
        for path, storage in finder.list(["CVS", ".*", "*~"])
    )
    if any(source.stat().st_mtime > collected for source in sources):
        call_command("collectstatic", interactive=False, verbosity=0)


if __name__ == "__main__":
    main()
