"""Pages: what they hand to the templates, their headers, and what they say when something is wrong."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import AsyncClient, Client
from django.urls import get_resolver

from twin.fleet import services
from webui.shell import errors

pytestmark = pytest.mark.database


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


def test_the_fleet_lists_the_machines_of_ones_organisations(alice: Client, story: Any) -> None:
    response = alice.get("/machines/")
    (row,) = response.context["rows"]
    assert (row["id"], row["organisation"]) == (str(story.machine.pk), story.organisation.name)


def test_the_fleet_is_shown_although_the_telemetry_server_is_away(alice: Client) -> None:
    response = alice.get("/machines/")
    assert response.status_code == 200
    assert response.context["telemetry_away"] is True
    assert response.context["rows"][0]["status"] == "unknown"
    page = response.content.decode()
    assert "no data yet" not in page
    assert "The telemetry server is not responding" in page


def test_the_machine_page_hands_over_all_that_the_browser_needs(alice: Client, story: Any) -> None:
    response = alice.get(f"/machines/{story.machine.pk}/")
    page = response.content.decode()
    found = re.search(r'<script id="page-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert data["id"] == str(story.machine.pk)
    assert data["socket"] == f"/ws/machines/{story.machine.pk}/"
    assert data["delay_us"] == 150_000
    assert [channel["name"] for channel in data["channels"]][:3] == ["crank.angle", "crank.rate", "hose.p"]
    assert set(data["channels"][0]) == {"name", "label", "unit", "quantity", "role"}
    assert data["scene"]["bodies"]


def test_every_page_carries_the_strict_policy(alice: Client, story: Any) -> None:
    for address in ("/machines/", f"/machines/{story.machine.pk}/", "/styleguide/", "/nothing/", "/admin/"):
        headers = alice.get(address).headers
        directives = dict(
            part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
        )
        assert directives == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' data:",
            "font-src": "'self'",
            "connect-src": "'self'",
            "form-action": "'self'",
            "frame-ancestors": "'none'",
            "base-uri": "'none'",
        }
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_no_cache_keeps_what_one_person_may_see(alice: Client, story: Any) -> None:
    machine = story.machine.pk
    for address in ("/machines/", f"/machines/{machine}/", "/nothing/", "/api/v1/machines", "/api/docs"):
        assert "no-store" in alice.get(address)["Cache-Control"], address
    assert "no-store" in alice.get(f"/api/v1/machines/{uuid4()}")["Cache-Control"]
    assert "no-store" in Client().get("/accounts/login/")["Cache-Control"]


async def test_no_cache_keeps_what_asgi_answers_either(script: str) -> None:
    assert "no-store" in (await AsyncClient().get("/machines/"))["Cache-Control"]
    assert "no-store" not in (await AsyncClient().get(script))["Cache-Control"]


def test_the_documentation_viewer_is_ours_and_may_style_itself_only(alice: Client) -> None:
    response = alice.get("/api/docs")
    policy = response.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy + ";"
    assert "style-src 'self' 'unsafe-inline'" in policy
    scripts = re.findall(r"<script([^>]*)>", response.content.decode())
    assert all('src="/static/' in tag or 'type="application/json"' in tag for tag in scripts)
    assert "http" not in "".join(scripts)


def test_an_unknown_address_says_what_to_do(alice: Client) -> None:
    response = alice.get(f"/machines/{uuid4()}/")
    assert response.status_code == 404
    assert "find the machine in the fleet list" in response.content.decode()


def test_programs_get_errors_as_documents(alice: Client) -> None:
    response = alice.get("/api/v1/nothing")
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == 404


def test_every_error_page_is_connected() -> None:
    for code, view in (
        (400, errors.bad_request),
        (403, errors.permission_denied),
        (404, errors.not_found),
        (500, errors.server_error),
    ):
        assert get_resolver().resolve_error_handler(code) is view


def test_the_error_page_works_when_everything_else_is_broken(
    rf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("no database")

    monkeypatch.setattr(errors, "render_to_string", broken)
    response = errors.server_error(rf.get("/machines/"))
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()


@pytest.fixture
def script(static_root: Path) -> Iterator[str]:
    file = static_root / "app.js"
    file.write_text("export {};")
    yield "/static/app.js"
    file.unlink()


def assert_script(response: Any) -> None:
    assert response.status_code == 200
    assert response.content == b"export {};"
    assert response["Content-Type"].startswith("text/javascript")


async def test_asgi_serves_static_files_without_a_sign_in_and_without_a_warning(script: str) -> None:
    assert_script(await AsyncClient().get(script))
    assert (await AsyncClient().get("/static/other.js")).status_code == 404


def test_a_static_file_can_be_asked_for_in_parts(script: str) -> None:
    assert_script(Client().get(script))
    part = Client().get(script, headers={"Range": "bytes=0-5"})
    assert (part.status_code, part.content) == (206, b"export")
    unchanged = Client().get(script, headers={"If-Modified-Since": Client().get(script)["Last-Modified"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


# the model behind a machine


@pytest.fixture
def crane(story: Any) -> Any:
    return services.create_machine(story.organisation, "Crane 1", "loader-crane", {"boom_length": 2.7})


def test_the_model_of_a_machine_is_told_with_units_ranges_and_sources(alice: Client, crane: Any) -> None:
    response = alice.get(f"/machines/{crane.pk}/model/")
    rows = {row["name"]: row for _, group in response.context["groups"] for row in group}
    assert rows["relief_pressure"]["value"] == "260"
    assert (rows["relief_pressure"]["unit"], rows["relief_pressure"]["allowed"]) == ("bar", "50 to 420")
    assert rows["boom_length"]["origin"] == "set for this machine"
    assert rows["boom_length"]["usual"] == "2.6"
    assert rows["seal_law"]["allowed"] == "lugre, brown-mcphee"
    page = response.content.decode()
    assert "Loader crane (loader-crane)" in page
    assert "1 parameter of this machine differs from its standard value." in page
    assert "Static forces consistent with the equations of motion" in page
    assert len(rows) == response.context["total"]


def test_parameters_are_filtered_by_source_and_by_words(alice: Client, crane: Any) -> None:
    def shown(query: str) -> dict[str, str]:
        groups = alice.get(f"/machines/{crane.pk}/model/?{query}").context["groups"]
        return {row["name"]: row["origin"] for _, rows in groups for row in rows}

    assert set(shown("source=standard").values()) == {"standard"}
    assert set(shown("source=set-for-this-machine")) == {"boom_length"}
    assert set(shown("search=PINION")) == {"pinion_radius"}
    assert shown("source=published&search=pinion") == {}
    assert shown("source=<b>") == {}


def test_a_model_that_nobody_measured_says_so(alice: Client, story: Any) -> None:
    machine = services.create_machine(story.organisation, "Valve 1", "valve-rig")
    page = alice.get(f"/machines/{machine.pk}/model/").content.decode()
    assert "The quality of this model has not been measured yet" in page
