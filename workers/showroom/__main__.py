"""`python -m workers.showroom`: sends telemetry for demo machines; run one process per installation."""

import os
import sys

import django

from workers.shutdown import stop_event


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.ingest.append import Appender
    from twin.valkey.aof_sync import AppendOnlyFile
    from twin.valkey.clients import TIMEOUT
    from twin.valkey.pipeline_client import PipelineClient
    from workers.showroom.feeding import DemoFeeder

    done = stop_event()
    appender = Appender(PipelineClient(settings.TELEMETRY_URL, TIMEOUT), AppendOnlyFile.from_settings())
    DemoFeeder(appender).run(done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
