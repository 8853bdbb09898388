"""`python -m workers.showroom`: lets the demo machines of new organisations work; one in all."""

import os
import sys

import django

from workers.ending import asked_to_end


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.telemetry.append import Appender
    from twin.telemetry.clients import TIMEOUT
    from twin.telemetry.server_file import ServerFile
    from twin.telemetry.wire import Wire
    from workers.showroom.feeding import Showroom

    done = asked_to_end()
    appender = Appender(Wire(settings.TELEMETRY_URL, TIMEOUT), ServerFile.from_settings())
    Showroom(appender).run(done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
