"""The Celery application: `celery -A workers.app worker -Q twins` and `... -Q maintenance -B`.

Two workers, because runners never end and would leave no slot for anything else:

    twins   queue `twins`: one runner per pool process, for as long as the worker lives
    jobs    queue `maintenance`: everything that ends; carries the schedule (-B); started with `nice`
"""

import logging.config
import os
from typing import Any

# before numpy is imported anywhere: parallelism is across twins and processes, never inside one
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load the web's URLs; `manage.py check` does that

from celery import Celery, signals  # noqa: E402
from django.conf import settings  # noqa: E402

from workers import drain  # noqa: E402
from workers.load_lock import first_alone  # noqa: E402

TWINS = "twins"
MAINTENANCE = "maintenance"
SUPERVISE_S = 2.0
TELL_S = 2.0
USAGE_S = 10.0  # trails keep a minute: a few runs may be missed

app = Celery("hydratwin", broker=settings.BROKER_URL, include=["workers.tasks"])
app.conf.update(
    # messages
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,  # nobody waits for a result, so there is no result store
    task_default_queue=MAINTENANCE,
    task_routes={"workers.run_twins": {"queue": TWINS}},
    task_acks_late=False,  # a runner is acknowledged at once: redelivery must not start it a second time
    # prefetch: a worker full of endless runners would hoard further messages that others could take
    worker_prefetch_multiplier=1,
    worker_disable_prefetch=True,
    # broker: redelivery only matters to late acknowledgement, and no such task may come near this hour
    broker_transport_options={
        "visibility_timeout": 3600,
        "socket_keepalive": True,
        "health_check_interval": 10,
    },
    broker_connection_retry_on_startup=True,  # services start at once and in any order
    broker_connection_max_retries=None,  # a broker that is away for long is still waited for
    # processes
    worker_proc_alive_timeout=120.0,  # loading kernels takes longer than the default of 4 s allows a child
    worker_soft_shutdown_timeout=3.0,  # a second signal ends the worker, but not in the middle of a save
    worker_cancel_long_running_tasks_on_connection_loss=False,  # runners do not need the broker
    worker_enable_remote_control=False,  # liveness is the runners' heartbeat, not an answering process
    # log: Django's one-line format, as in every other process
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    # schedule, in memory: nothing in it has to be made up for after a restart
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule={
        "supervise": {
            "task": "workers.supervise",
            "schedule": SUPERVISE_S,
            "options": {"expires": SUPERVISE_S},  # a queue of old ones would tell nothing new
        },
        "tell others": {
            "task": "workers.tell_others",
            "schedule": TELL_S,
            "options": {"expires": TELL_S},
        },
        "count usage": {
            "task": "workers.count_usage",
            "schedule": USAGE_S,
            "options": {"expires": USAGE_S},
        },
    },
    enable_utc=True,
)


@signals.setup_logging.connect  # type: ignore[untyped-decorator]
def _log_like_django(**_: Any) -> None:
    logging.config.dictConfig(settings.LOGGING)
    for name in ("celery.app.trace", "celery.worker.strategy", "celery.beat"):
        logging.getLogger(name).setLevel(logging.WARNING)  # no line for each scheduled task


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _drain_runners(**_: Any) -> None:
    drain.request()


@signals.worker_ready.connect  # type: ignore[untyped-decorator]
def _first_runners(**_: Any) -> None:
    """The supervisor would come round in a moment; a worker that starts need not wait for it."""
    if TWINS in app.amqp.queues.consume_from:
        from workers.tasks import offer_runners

        offer_runners()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _prepare_process(**_: Any) -> None:
    """After the fork, never before: numba's threads and locks do not survive it."""
    if TWINS in app.amqp.queues.consume_from:
        with first_alone():
            from simcore.warm import warm_kernels  # brings numba

            warm_kernels(lambda _text, _fraction: None)
