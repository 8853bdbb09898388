"""Help: every guide is a page, its pictures are there, and its links lead somewhere."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from twin.preferences.services import preference_of
from webui.help.guides import DOCS, FILES, guide

pytestmark = pytest.mark.database


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


@pytest.mark.parametrize("name", FILES)
def test_a_guide_is_shown_with_its_pictures_and_links(name: str, alice: Client) -> None:
    page = alice.get(f"/help/{name}/").content.decode()
    assert f"<h1>{guide(name).title}</h1>" in page
    for picture in re.findall(r'src="/static/guide/([^"]+)"', page):
        assert (DOCS / "images" / picture).is_file(), picture
    for address in re.findall(r"<article.*</article>", page, re.DOTALL)[0].split('href="')[1:]:
        address = address.partition('"')[0]
        if address.startswith("/"):
            assert alice.get(address).status_code == 200, address


def test_there_is_a_guide_for_every_persona_and_no_other_file() -> None:
    assert {path.stem for path in (DOCS / "guide").glob("*.md")} < set(FILES)
    for persona in ("fleet-manager", "customer", "maintenance", "engineer"):
        assert guide(persona).lead


def test_an_unknown_guide_is_not_found(alice: Client) -> None:
    assert alice.get("/help/pilot/").status_code == 404
    assert alice.get("/help/../README/").status_code == 404


def test_what_looks_like_html_in_a_guide_stays_text(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "x.md"
    path.write_text("# T\n\n<script>alert(1)</script> [a](javascript:alert(1))\n")
    monkeypatch.setitem(FILES, "x", path)
    html = guide.__wrapped__("x").html
    assert "<script>" not in html
    assert 'href="javascript' not in html


def test_the_tour_is_offered_until_it_is_taken_or_put_away(alice: Client, story: Any) -> None:
    assert "tour-offer" in alice.get("/machines/").content.decode()
    assert alice.post("/preferences/tour/").status_code == 204
    assert "tour-offer" not in alice.get("/machines/").content.decode()
    assert "data-start-tour" in alice.get("/help/").content.decode()
    assert preference_of(story.bob).tour_seen is False
