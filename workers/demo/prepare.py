"""`python -m workers.demo.prepare`: sets up the database, static files, and the demo's users and machines.

The command can be run again at any time. The last line of its output is a JSON object that the demo reads.
"""

import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.conf import settings
from django.core.management import call_command

from workers.demo import fleet
from workers.emulator.as_built import AsBuiltSpec

if TYPE_CHECKING:
    from twin.fleet.models import Machine, Organisation

ORGANISATION = "Hydratwin demo"
MACHINE, DEVICE = "Laboratory rig", "Rig controller"
_RIG = "four-bar-b"
OWN_MACHINE, OWN_DEVICE = "Your own rig", "Your own controller"  # for telemetry that the user sends
PEOPLE = {
    "manager": "fleet_manager",
    "operator": "operator",
    "maintenance": "maintenance",
    "customer": "customer",
    "engineer": "engineer",
    "administrator": "administrator",
    "dealer": "fleet_manager",
}
DEALER, DEALERS = "dealer", "Demo dealer"  # another organisation, with which the rig is shared
RENEW = "delete this file; the next start creates a new one"


def main() -> None:
    django.setup()
    data = Path(settings.DATA_DIR)
    kept = _Kept(data / "tokens.json")
    passwords, fresh = _passwords(data / "logins.json")
    call_command("migrate", interactive=False, verbosity=0)
    _collect_static()
    specs = fleet.machines() if "--fleet" in sys.argv[1:] else ()
    rig, own, others = _fleet(passwords, fresh, kept.content, specs)
    tokens = {name: machine["token"] for name, machine in others.items()}
    kept.write({**kept.content, MACHINE: rig["token"], OWN_MACHINE: own["token"], **tokens})
    sys.stdout.write(json.dumps({**rig, "own": own, "fleet": others, "logins": passwords}) + "\n")


class _Kept:
    """A file with the names and secrets of earlier starts, readable only by its owner."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.content: dict[str, str] = {}
        try:
            content = json.loads(path.read_text())
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise SystemExit(f"{path} cannot be read ({error}): {RENEW}") from None
        if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
            raise SystemExit(f"{path} was not written by the demo: {RENEW}")
        self.content = content

    def write(self, content: dict[str, str]) -> None:
        self._path.unlink(missing_ok=True)
        with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(content, file)


def _passwords(path: Path) -> tuple[dict[str, str], bool]:
    """Return one password per user, and True if the passwords are new."""
    kept = _Kept(path)
    if set(kept.content) == set(PEOPLE):
        return kept.content, False
    made = {name: secrets.token_urlsafe(9) for name in PEOPLE}
    kept.write(made)
    return made, True


def _fleet(
    passwords: dict[str, str], fresh: bool, tokens: Mapping[str, str], specs: Sequence[AsBuiltSpec]
) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, str]]]:
    """Create the organisation with its users and machines; return the machines' ids and tokens."""
    from twin.fleet import services
    from twin.fleet.models import Organisation

    organisation = Organisation.objects.for_runtime().filter(name=ORGANISATION).first()
    organisation = organisation or services.create_organisation(ORGANISATION)
    _people(organisation, {name: passwords[name] for name in PEOPLE if name != DEALER}, fresh)
    rig = _machine(organisation, AsBuiltSpec(MACHINE, _RIG, 0), DEVICE, tokens.get(MACHINE, ""))
    own = _machine(organisation, AsBuiltSpec(OWN_MACHINE, _RIG, 0), OWN_DEVICE, tokens.get(OWN_MACHINE, ""))
    _share_with_dealer(rig["machine"], passwords[DEALER], fresh)
    others = {
        spec.name: _machine(organisation, spec, fleet.DEVICE, tokens.get(spec.name, "")) for spec in specs
    }
    _sites(organisation)
    return rig, own, others


def _sites(organisation: "Organisation") -> None:
    """Create the sites once; later changes by users stay."""
    from twin.fleet.models import Machine
    from twin.sites.models import Site
    from twin.sites.services import save_site

    for site, models in fleet.sites():
        machines = Machine.objects.for_runtime().filter(organisation=organisation, model__in=models)
        new = list(machines.filter(placement=None).values_list("pk", flat=True))
        if new and not Site.objects.for_runtime().filter(organisation=organisation, name=site.name).exists():
            save_site(Site(organisation=organisation, **asdict(site)), new)


def _people(organisation: "Organisation", passwords: dict[str, str], fresh: bool) -> None:
    from django.contrib.auth.models import User

    from twin.fleet import services
    from twin.fleet.models import Membership
    from twin.fleet.permissions import Role

    for name, password in passwords.items():
        user = User.objects.filter(username=name).first()
        if user is None:
            user = User.objects.create_user(name, password=password)
        elif fresh:
            user.set_password(password)
            user.save()
        if not Membership.objects.for_runtime().filter(user=user, organisation=organisation).exists():
            services.add_member(organisation, user, Role(PEOPLE[name]))


def _share_with_dealer(machine: str, password: str, fresh: bool) -> None:
    from twin.audit.log import PLATFORM
    from twin.fleet import services
    from twin.fleet.models import Grant, Kind, Machine, Organisation

    dealers = Organisation.objects.for_runtime().filter(name=DEALERS).first()
    dealers = dealers or services.create_organisation(DEALERS, kind=Kind.DEALER)
    _people(dealers, {DEALER: password}, fresh)
    if not Grant.objects.for_runtime().filter(machine__pk=machine, organisation=dealers).exists():
        services.share(PLATFORM, Machine.objects.for_runtime().get(pk=machine), dealers.pk)


def _machine(organisation: "Organisation", spec: AsBuiltSpec, device: str, token: str) -> dict[str, str]:
    """Return a machine's id and a valid token: the token from the last start if it is still valid."""
    from twin.fleet import services
    from twin.fleet.identity import identify
    from twin.fleet.models import Machine

    machine = Machine.objects.for_runtime().filter(organisation=organisation, name=spec.name).first()
    if machine is None:
        machine = services.create_machine(organisation, spec.name, spec.model, dict(spec.parameters))
    known = identify(token)
    if known is None or known.machine != str(machine.id):
        token = _new_token(machine, device)
    return {"machine": str(machine.id), "token": token}


def _new_token(machine: "Machine", name: str) -> str:
    """Issue a token for the first device of this name that can have another one; revoke no token."""
    from twin.fleet import services
    from twin.fleet.models import Device

    for number in count(1):
        called = name if number == 1 else f"{name} {number}"
        device = Device.objects.for_runtime().filter(machine=machine, name=called).first()
        try:
            return services.issue_token(device or services.create_device(machine, called))
        except services.TooManyTokens:
            continue
    raise AssertionError("count() never ends")


def _collect_static() -> None:
    """Collect static files only if a source is newer: collecting takes as long as all the other steps."""
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
