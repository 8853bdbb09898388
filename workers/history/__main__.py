"""`python -m workers.history`: stores what the telemetry streams hold; one for the whole installation."""

import os
import sys

import django

from workers.ending import asked_to_end


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.telemetry.clients import TIMEOUT
    from twin.telemetry.server_file import ServerFile
    from twin.telemetry.wire import Wire
    from workers.history.writer import Writer

    done = asked_to_end()
    wire = Wire(settings.TELEMETRY_URL, TIMEOUT)
    Writer(wire, ServerFile.from_settings(), settings.HISTORY_S).run(done)
    wire.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
