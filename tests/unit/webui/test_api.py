"""The interface for programs."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

pytestmark = pytest.mark.database


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


def test_machines_are_listed_page_by_page(alice: Client, story: Any) -> None:
    answer = alice.get("/api/v1/machines?limit=1").json()
    assert answer["count"] == 1
    (row,) = answer["items"]
    assert row["id"] == str(story.machine.pk)
    assert row["organisation"] == "Northern Lifting Oy"
    assert row["status"] is None  # no telemetry server here
    assert alice.get("/api/v1/machines?offset=1").json()["items"] == []


def test_a_machine_tells_its_channels_and_units(alice: Client, story: Any) -> None:
    answer = alice.get(f"/api/v1/machines/{story.machine.pk}").json()
    assert answer["name"] == "Northern rig"
    pressures = [channel["name"] for channel in answer["channels"] if channel["unit"] == "Pa"]
    assert pressures == ["hose.p", "cylinder.p_A", "cylinder.p_B"]


def test_an_unknown_machine_is_a_problem_document(alice: Client) -> None:
    response = alice.get(f"/api/v1/machines/{uuid4()}")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["title"] == "Not Found"


def test_a_wrong_parameter_is_named(alice: Client) -> None:
    response = alice.get("/api/v1/machines?limit=many")
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["field"] == "query.limit"


@pytest.mark.parametrize("value", ["-1", "99999999999999999999", "9" * 5000])
@pytest.mark.parametrize("field", ["limit", "offset"])
def test_a_page_beyond_all_bounds_is_refused(alice: Client, field: str, value: str) -> None:
    response = alice.get(f"/api/v1/machines?{field}={value}")
    assert response.status_code == 422
    (error,) = response.json()["errors"]
    assert error["field"] == f"query.{field}"


def test_a_page_has_at_most_a_thousand_machines(alice: Client) -> None:
    assert alice.get("/api/v1/machines?limit=1000").status_code == 200
    assert alice.get("/api/v1/machines?limit=1001").status_code == 422


def test_without_the_telemetry_server_there_is_no_state_for_now(alice: Client, story: Any) -> None:
    response = alice.get(f"/api/v1/machines/{story.machine.pk}/state")
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert response.json()["status"] == 503


def test_the_description_lists_every_operation(alice: Client) -> None:
    description = alice.get("/api/v1/openapi.json").json()
    assert set(description["paths"]) == {
        "/api/v1/machines",
        "/api/v1/machines/{machine_id}",
        "/api/v1/machines/{machine_id}/model",
        "/api/v1/machines/{machine_id}/state",
        "/api/v1/machines/{machine_id}/history",
        "/api/v1/machines/{machine_id}/history/export",
        "/api/v1/telemetry",
    }


def test_every_reference_in_the_description_leads_somewhere(alice: Client) -> None:
    description = alice.get("/api/v1/openapi.json")
    schemas = description.json()["components"]["schemas"]
    references = re.findall(r'"#/components/schemas/([^"]+)"', description.content.decode())
    assert references
    assert set(references) <= set(schemas)


def test_the_model_of_a_machine_with_its_parameters_and_its_quality(alice: Client, story: Any) -> None:
    answer = alice.get(f"/api/v1/machines/{story.machine.pk}/model").json()
    assert answer["machine"] == str(story.machine.pk)
    rows = {row["name"]: row for row in answer["parameters"]}
    assert rows["crank_mass"]["value"] == 16.0
    assert (rows["crank_mass"]["unit"], rows["crank_mass"]["origin"]) == ("kg", "published")
    assert answer["quality"]["version"] == answer["version"]
    assert answer["quality"]["up_to_date"] is True
    checks = {check["name"]: check for check in answer["quality"]["checks"]}
    assert checks["forces"]["verdict"] == "met"
    assert checks["forces"]["asked"] == "at most 10⁻⁶"
