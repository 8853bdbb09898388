"""Health: the process, and what it needs."""

import pytest
from django.test import Client

pytestmark = pytest.mark.database


def test_the_process_is_well_without_any_service(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_it_is_not_ready_while_services_are_missing_and_says_which(client: Client, db: None) -> None:
    response = client.get("/readyz")
    assert response.status_code == 503
    checks = response.json()["checks"]
    assert checks["database"] == "ok"
    assert checks["telemetry"] == checks["broker"] == checks["runners"] == "failed (ConnectionError)"
