"""`python -m workers.history`: stores what the telemetry streams hold; one for the whole installation."""

import os
import sys

import django

from workers.shutdown import asked_to_end


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.valkey.aof_sync import ServerFile
    from twin.valkey.clients import TIMEOUT
    from twin.valkey.pipeline_client import Wire
    from workers.history.writer import Writer

    done = asked_to_end()
    wire = Wire(settings.TELEMETRY_URL, TIMEOUT)
    Writer(wire, ServerFile.from_settings(), settings.HISTORY_S).run(done)
    wire.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
