"""The Celery application: `celery -A workers.app worker -Q twins` and `... -Q maintenance -B`.

There are two workers, because runners never end and would leave no process free for other tasks:

    twins   queue `twins`: one runner per pool process, for the life of the worker
    jobs    queue `maintenance`: short tasks, and the schedule (-B); started with `nice`
"""

import logging.config
import os
from typing import Any

# before numpy is imported: parallelism is across twins and processes, never inside one twin
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # the checks load the web's URLs; use `manage.py check`

from celery import Celery, signals  # noqa: E402
from django.conf import settings  # noqa: E402

from workers import drain  # noqa: E402
from workers.load_lock import load_lock  # noqa: E402

TWINS = "twins"
MAINTENANCE = "maintenance"
SUPERVISE_S = 2.0
WEBHOOKS_S = 2.0
USAGE_S = 10.0  # recent frames cover a minute, so a few runs may be missed

app = Celery("hydratwin", broker=settings.BROKER_URL, include=["workers.tasks"])
app.conf.update(
    # messages
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,  # no caller waits for a result, so there is no result store
    task_default_queue=MAINTENANCE,
    task_routes={"workers.run_twins": {"queue": TWINS}},
    task_acks_late=False,  # a runner is acknowledged at once: redelivery must not start it a second time
    # no prefetch: a worker full of runners would hold messages that other workers could take
    worker_prefetch_multiplier=1,
    worker_disable_prefetch=True,
    # broker: redelivery concerns only tasks acknowledged late, and none of those may take an hour
    broker_transport_options={
        "visibility_timeout": 3600,
        "socket_keepalive": True,
        "health_check_interval": 10,
    },
    broker_connection_retry_on_startup=True,  # services start in any order
    broker_connection_max_retries=None,  # wait for the broker without limit
    # processes
    worker_proc_alive_timeout=120.0,  # loading the kernels takes longer than the default of 4 s
    worker_soft_shutdown_timeout=3.0,  # a second signal ends the worker, but not during a save
    worker_cancel_long_running_tasks_on_connection_loss=False,  # runners do not need the broker
    worker_enable_remote_control=False,  # the runners' heartbeat shows whether they live
    # log: Django's one-line format, as in every other process
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    # schedule, in memory: no run has to be repeated after a restart
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule={
        "supervise": {
            "task": "workers.supervise",
            "schedule": SUPERVISE_S,
            "options": {"expires": SUPERVISE_S},  # only the newest one is useful
        },
        "send webhooks": {
            "task": "workers.tell_others",
            "schedule": WEBHOOKS_S,
            "options": {"expires": WEBHOOKS_S},
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
    """Start runners at once instead of waiting for the next `supervise`."""
    if TWINS in app.amqp.queues.consume_from:
        from workers.tasks import offer_runners

        offer_runners()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _prepare_process(**_: Any) -> None:
    """Load the kernels after the fork, because numba's threads and locks do not survive a fork."""
    if TWINS in app.amqp.queues.consume_from:
        with load_lock():
            from simcore.warm import warm_kernels  # imports numba

            warm_kernels(lambda _text, _fraction: None)
