"""A new organisation: from nothing to a machine that runs and a token for one's own."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from twin.fleet.identity import identify
from twin.fleet.models import Machine, Membership, Organisation, Role
from twin.ingest.validation import Limits, validate
from twin.showroom.models import Exhibit
from webui.clock import now_us

pytestmark = pytest.mark.database

SECRET = "a long and unusual sentence"


def told(**changes: str) -> dict[str, str]:
    return {
        "organisation": "Eastern Cranes", "username": "dora", "password": SECRET,
        "machine": "Crane 1", "model": "loader-crane",
    } | changes  # fmt: skip


def test_somebody_new_gets_an_organisation_a_running_machine_and_a_token(client: Client, db: None) -> None:
    assert client.get("/organisations/new/").status_code == 200
    response = client.post("/organisations/new/", told())
    assert response.status_code == 201
    dora = User.objects.get(username="dora")
    assert client.session["_auth_user_id"] == str(dora.pk)
    membership = Membership.objects.for_user(dora).get()
    assert (membership.organisation.name, membership.role) == ("Eastern Cranes", Role.ADMINISTRATOR)
    machines = {machine.name: machine for machine in Machine.objects.for_user(dora)}
    assert set(machines) == {"Demo rig", "Crane 1"}
    exhibit = Exhibit.objects.for_user(dora).get()
    assert exhibit.device.machine == machines["Demo rig"]
    assert exhibit.until > timezone.now()
    identity = identify(response.context["token"])
    assert identity
    assert identity.machine == str(machines["Crane 1"].pk)


def test_the_line_to_copy_is_a_sample_that_would_be_taken(client: Client, db: None) -> None:
    response = client.post("/organisations/new/", told())
    line = response.context["curl"]
    assert line.startswith("curl -X POST http://testserver/api/v1/telemetry ")
    assert f"Bearer {response.context['token']}" in line
    body = re.search(r"-d '(.*)'$", line, re.DOTALL)[1].replace("'$(date -u +%Y-%m-%dT%H:%M:%SZ)'", "NOW")
    content = json.loads(body)
    content["samples"][0]["t"] = now_us()
    channels = identify(response.context["token"]).channels
    batch = validate(json.dumps(content).encode(), "json", channels, now_us(), Limits.from_settings())
    assert (len(batch.samples), batch.rejected) == (1, [])


def test_the_token_is_told_once_and_kept_nowhere(client: Client, db: None) -> None:
    token = client.post("/organisations/new/", told()).context["token"]
    assert token not in json.dumps(dict(client.session.items()))
    assert token not in client.get("/machines/").content.decode()


def test_a_form_that_fails_names_each_field_and_makes_nothing(client: Client, story: Any) -> None:
    wrong = told(organisation="Northern Lifting Oy", username="alice", password="short", model="spaceship")
    response = client.post("/organisations/new/", wrong)
    page = response.content.decode()
    assert response.status_code == 422
    for words in (
        "Lifting Oy is taken",
        "alice is taken",
        "too short",
        "spaceship is not one of the available",
    ):
        assert words in page
    assert 'value="Crane 1"' in page
    assert "short" not in re.findall(r'name="password"[^>]*>', page)[0]
    assert set(Organisation.objects.for_runtime()) == {story.organisation, story.strangers}


def test_where_it_is_closed_strangers_are_told_whom_to_ask(client: Client, settings: Any, story: Any) -> None:
    settings.SIGN_UP = False
    response = client.post("/organisations/new/", told())
    assert response.status_code == 403
    assert "Ask an administrator for an account" in response.content.decode()
    assert not User.objects.filter(username="dora").exists()
    client.force_login(story.alice)
    assert client.post("/organisations/new/", told()).status_code == 201


def test_a_manager_connects_a_further_machine(client: Client, story: Any) -> None:
    client.force_login(story.alice)
    response = client.post("/organisations/machines/new/", {"machine": "Digger 2", "model": "excavator"})
    assert response.status_code == 201
    assert Machine.objects.for_user(story.bob).filter(name="Digger 2", model="excavator").exists()
    again = client.post("/organisations/machines/new/", {"machine": "Digger 2", "model": "excavator"})
    assert again.status_code == 422
    assert "already has a machine with this name" in again.content.decode()
    client.force_login(story.bob)
    assert client.get("/organisations/machines/new/").status_code == 403
