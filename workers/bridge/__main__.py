"""`python -m workers.bridge`: takes telemetry from the MQTT broker that HYDRATWIN_MQTT_URL names."""

import os
import sys

import django

from workers.shutdown import asked_to_end


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.control.listener import News
    from twin.fleet.broker import Broker
    from twin.valkey.aof_sync import ServerFile
    from twin.valkey.clients import TIMEOUT, connect
    from twin.valkey.pipeline_client import Wire
    from workers.bridge.bridge import Bridge, OpenBroker
    from workers.bridge.confirming import Confirming
    from workers.bridge.link import Link

    try:
        broker = Broker.from_url(settings.MQTT_URL)
    except ValueError as error:
        sys.stderr.write(f"bridge: HYDRATWIN_MQTT_URL {error}\n")
        return 2
    done = asked_to_end()
    link, news = Link(broker), News(settings.TELEMETRY_URL)
    link.start()
    try:
        url = settings.TELEMETRY_URL
        with Confirming(link, ServerFile.from_settings()) as confirming:
            Bridge(link, confirming, connect(url, retries=1), Wire(url, TIMEOUT), news).run(done)
    except OpenBroker:
        sys.stderr.write("bridge: the broker lets anybody in: set allow_anonymous false, then start again\n")
        return 2
    finally:
        link.stop()
        news.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
