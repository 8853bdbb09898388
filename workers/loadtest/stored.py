"""`python -m workers.loadtest.stored`: prints the stored sequence numbers of each machine as JSON."""

import json
import sys

import django


def main() -> None:
    django.setup()
    from twin.history.models import Start

    rows = Start.objects.for_runtime().values_list("machine", "stored")
    sys.stdout.write(json.dumps({str(machine): runs for machine, runs in rows}) + "\n")


if __name__ == "__main__":
    main()
