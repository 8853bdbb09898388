"""`python -m workers.bridge`: takes telemetry from the MQTT broker that HYDRATWIN_MQTT_URL names."""

import logging
import os
import signal
import sys
import threading

import django


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    django.setup()
    from django.conf import settings

    from twin.fleet.broker import Broker
    from twin.telemetry.clients import connect
    from twin.telemetry.news import News
    from workers.bridge.bridge import Bridge
    from workers.bridge.link import Link, lets_anybody_in

    try:
        broker = Broker.from_url(settings.MQTT_URL)
    except ValueError as error:
        sys.stderr.write(f"bridge: HYDRATWIN_MQTT_URL {error}\n")
        return 2
    done = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: done.set())
    while (anybody := lets_anybody_in(broker)) is None and not done.wait(1.0):
        logging.getLogger("workers.bridge").info("waiting for the broker")
    if anybody:
        sys.stderr.write("bridge: the broker lets anybody in: set allow_anonymous false, then start again\n")
        return 2
    link, news = Link(broker), News(settings.TELEMETRY_URL)
    link.start()
    try:
        Bridge(link, connect(settings.TELEMETRY_URL, retries=1), news).run(done)
    finally:
        link.stop()
        news.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
