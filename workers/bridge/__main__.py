"""`python -m workers.bridge`: takes telemetry from the MQTT broker whose address is in HYDRATWIN_MQTT_URL."""

import os
import sys

import django

from workers.shutdown import stop_event


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.control.listener import ControlListener
    from twin.fleet.broker import Broker
    from twin.valkey.aof_sync import AppendOnlyFile
    from twin.valkey.clients import TIMEOUT, connect
    from twin.valkey.pipeline_client import PipelineClient
    from workers.bridge.acknowledger import Acknowledger
    from workers.bridge.bridge import Bridge, OpenBroker
    from workers.bridge.broker_connection import BrokerConnection

    try:
        broker = Broker.from_url(settings.MQTT_URL)
    except ValueError as error:
        sys.stderr.write(f"bridge: HYDRATWIN_MQTT_URL {error}\n")
        return 2
    done = stop_event()
    url = settings.TELEMETRY_URL
    connection, control = BrokerConnection(broker), ControlListener(url)
    connection.start()
    try:
        with Acknowledger(connection, AppendOnlyFile.from_settings()) as acknowledger:
            client, pipeline = connect(url, retries=1), PipelineClient(url, TIMEOUT)
            Bridge(connection, acknowledger, client, pipeline, control).run(done)
    except OpenBroker:
        sys.stderr.write(
            "bridge: the broker accepts anonymous clients: set allow_anonymous false, then start again\n"
        )
        return 2
    finally:
        connection.stop()
        control.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
