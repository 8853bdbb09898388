"""`python -m workers.showroom`: lets the demo machines of new organisations work; one in all."""

import os
import sys

import django

from workers.shutdown import asked_to_end


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.ingest.append import Appender
    from twin.valkey.aof_sync import ServerFile
    from twin.valkey.clients import TIMEOUT
    from twin.valkey.pipeline_client import Wire
    from workers.showroom.feeding import Showroom

    done = asked_to_end()
    appender = Appender(Wire(settings.TELEMETRY_URL, TIMEOUT), ServerFile.from_settings())
    Showroom(appender).run(done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
