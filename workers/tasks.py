"""Defines the Celery tasks; each one calls code in `twin`.

Registered task names must stay the same across versions: during a rolling upgrade both versions share the
queue.
"""

import logging

from celery import shared_task
from django.conf import settings
from django.db import DatabaseError
from redis.exceptions import RedisError

from twin.log_on_change import LogOnChange
from twin.runtime.sharding import live_runners
from twin.valkey.clients import connect
from workers.app import TWINS
from workers.drain import Drain

log = logging.getLogger(__name__)

OFFERS = 2  # run_twins messages kept in the queue for free worker processes

_runner_log = LogOnChange(log)


@shared_task(name="workers.run_twins")  # type: ignore[untyped-decorator]
def run_twins() -> None:
    """Run twins for the life of this worker."""
    from workers.runner import run  # imports numba: only after the fork

    run(Drain())


@shared_task(name="workers.supervise", time_limit=30)  # type: ignore[untyped-decorator]
def supervise() -> None:
    """Turn every free process of the `twins` workers into a runner."""
    _runner_log.report(_count_runners(), level=logging.INFO)
    offer_runners()


@shared_task(name="workers.tell_others", time_limit=60)  # type: ignore[untyped-decorator]
def send_webhooks() -> None:
    """Enqueue deliveries for changed machines, and send those that are due."""
    from twin.webhooks.noticing import notice  # imports models: only after Django's setup
    from workers.webhooks.delivering import deliver_due, forget_old

    with connect(settings.TELEMETRY_URL) as client:
        try:
            notice(client)
        except RedisError as error:
            log.warning("webhooks: machines were not checked: %s", error)
    deliver_due()
    forget_old()


@shared_task(name="workers.count_usage", time_limit=60)  # type: ignore[untyped-decorator]
def count_usage() -> None:
    """Update the hours, energy and fuel of every machine up to its last frame."""
    from twin.usage import services  # imports models: only after Django's setup

    with connect(settings.TELEMETRY_URL, retries=1) as client:
        try:
            services.count_usage(client)
        except (RedisError, DatabaseError) as error:
            log.warning("usage not counted; the next run will include it: %s", error)


def _count_runners() -> str:
    with connect(settings.TELEMETRY_URL, retries=1) as client:
        try:
            return f"{len(live_runners(client))} runner(s) alive"
        except RedisError:
            return "the telemetry server is not responding"


def offer_runners() -> None:
    """Keep OFFERS run_twins messages in the queue.

    This works with any number of processes and hosts: a message stays in the queue until a free process takes
    it. Messages do not expire, so that a worker that restarts after a crash finds valid ones.
    """
    with connect(settings.BROKER_URL, retries=1) as broker:
        waiting = int(broker.llen(TWINS))
    for _ in range(OFFERS - waiting):
        run_twins.apply_async(queue=TWINS)
