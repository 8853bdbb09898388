"""`python -m workers.loadtest.prepare N MODEL`: sets up a database with N machines and a user.

The last line of its output is a JSON object with ids, tokens and a session.
"""

import json
import sys
from importlib import import_module
from uuid import UUID

import django
from django.conf import settings

from workers.loadtest.recording import played_models


def main(count: int, model: str) -> None:
    django.setup()
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import transaction

    from twin.fleet import services
    from twin.fleet.models import Machine
    from twin.fleet.permissions import Role

    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    with transaction.atomic():
        organisation = services.create_organisation("Load")
        user = User.objects.create_user("load")
        services.add_member(organisation, user, Role.FLEET_MANAGER)
        found = []
        for number in range(count):
            machine = Machine(pk=_id(number), organisation=organisation, model=model)
            machine.name, machine.parameters = f"Machine {number}", played_models()[model]
            machine.full_clean()
            machine.save()
            device = services.create_device(machine, "Controller")
            token = services.issue_token(device)
            found.append({"machine": str(machine.pk), "device": str(device.pk), "token": token})
        store = import_module(settings.SESSION_ENGINE).SessionStore()
        store[SESSION_KEY] = str(user.pk)
        store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        store.save()
    sys.stdout.write(json.dumps({"machines": found, "session": store.session_key}) + "\n")


def _id(number: int) -> UUID:
    """Return an id that is the same in every run; even a few ids spread evenly over runners and shards."""
    shards = settings.SHARDS
    of_shards, place = divmod(number, shards)
    shard = place // 2 + shards // 2 * (place % 2)
    return UUID(int=(1 << 120) + of_shards * shards + shard)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
