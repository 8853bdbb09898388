"""Health checks: whether the process is alive (healthz), and whether its services are (readyz)."""

from collections.abc import Callable

import redis
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from twin.runtime.sharding import live_runners
from twin.valkey.clients import connect

NOT_SYNCED = "its file is not synced: set appendfsync to always, or set HYDRATWIN_TELEMETRY_DIR"


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Respond with "ok" or the problem of each service, by name; 503 if any of them has a problem."""
    checks = {name: _outcome(check) for name, check in CHECKS.items()}
    ready = all(outcome == "ok" for outcome in checks.values())
    answer = {"status": "ready" if ready else "not ready", "checks": checks}
    return JsonResponse(answer, status=200 if ready else 503)


def _outcome(check: Callable[[], str]) -> str:
    """Return only the type of a failure, because its message may contain addresses and credentials."""
    try:
        return check()
    except Exception as error:
        return f"failed ({type(error).__name__})"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def _telemetry() -> str:
    with connect(settings.TELEMETRY_URL) as client:
        client.ping()
        return "ok" if settings.TELEMETRY_DIR or _syncs_by_itself(client) else NOT_SYNCED


def _syncs_by_itself(client: redis.Redis) -> bool:
    """Return whether the server syncs its file itself; assumed if the server hides its settings."""
    try:
        policy = client.config_get("appendfsync")
    except redis.ResponseError:
        return True
    return policy.get("appendfsync", "always") == "always"


def _broker() -> str:
    with connect(settings.BROKER_URL) as client:
        client.ping()
    return "ok"


def _runners() -> str:
    with connect(settings.TELEMETRY_URL) as client:
        return "ok" if live_runners(client) else "none alive"


CHECKS = {"database": _database, "telemetry": _telemetry, "broker": _broker, "runners": _runners}
