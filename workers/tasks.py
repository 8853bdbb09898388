"""The tasks; each a thin entry to twin's own code."""

import logging

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from twin.runtime.runners import live_runners
from twin.valkey.clients import connect
from workers.app import TWINS
from workers.drain import Drain

log = logging.getLogger(__name__)

OFFERS = 2  # runner messages kept in the queue for whichever worker has a free process
_said = ""


@shared_task(name="workers.run_twins")  # type: ignore[untyped-decorator]
def run_twins() -> None:
    """Be a runner for as long as this worker lives."""
    from workers.runner import run  # brings numba: only after the fork

    run(Drain())


@shared_task(name="workers.supervise", time_limit=30)  # type: ignore[untyped-decorator]
def supervise() -> None:
    """Make sure that every free process of a `twins` worker becomes a runner."""
    _say(_count_runners())
    offer_runners()


@shared_task(name="workers.tell_others", time_limit=60)  # type: ignore[untyped-decorator]
def tell_others() -> None:
    """Notice what has changed with the machines, and send what is due to whoever wants to hear of it."""
    from twin.webhooks.noticing import notice  # models: only once Django is set up
    from workers.webhooks.delivering import deliver_due, forget_old

    with connect(settings.TELEMETRY_URL) as client:
        try:
            notice(client)
        except RedisError as error:
            log.warning("nothing noticed for webhooks: %s", error)
    deliver_due()
    forget_old()


@shared_task(name="workers.count_usage", time_limit=60)  # type: ignore[untyped-decorator]
def count_usage() -> None:
    """Hours, energy and fuel of every machine, up to its last frame."""
    from twin.usage import services  # models are there once Django is set up

    with Redis.from_url(settings.TELEMETRY_URL, retry=Retry(NoBackoff(), 1)) as client:
        try:
            services.count_usage(client)
        except (RedisError, DatabaseError) as error:
            log.warning("usage not counted, the next run makes up for it: %s", error)


def _count_runners() -> str:
    with Redis.from_url(settings.TELEMETRY_URL, retry=Retry(NoBackoff(), 1)) as client:
        try:
            return f"{len(live_runners(client))} runner(s) alive"
        except RedisError:
            return "the telemetry server does not answer"


def _say(text: str) -> None:
    """One line per change."""
    global _said
    if text != _said:
        log.info(text)
        _said = text


def offer_runners() -> None:
    """Keep a few runner messages in the queue.

    How many processes there are on how many hosts nobody needs to know: an offer lies in the queue until a
    free process takes it. It does not expire: "be a runner" is as true later, never more than OFFERS are
    waiting, and a worker that is started again after a crash must not find only offers that are void.
    """
    with Redis.from_url(settings.BROKER_URL) as broker:
        waiting = int(broker.llen(TWINS))
    for _ in range(OFFERS - waiting):
        run_twins.apply_async(queue=TWINS)
