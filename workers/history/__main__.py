"""`python -m workers.history`: stores telemetry in the database; run one process per installation."""

import os
import sys

import django

from workers.shutdown import stop_event


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.valkey.aof_sync import AppendOnlyFile
    from twin.valkey.clients import TIMEOUT
    from twin.valkey.pipeline_client import PipelineClient
    from workers.history.writer import Writer

    done = stop_event()
    pipeline = PipelineClient(settings.TELEMETRY_URL, TIMEOUT)
    Writer(pipeline, AppendOnlyFile.from_settings(), settings.HISTORY_S).run(done)
    pipeline.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
