"""Which language a page is in, who decides, and that nothing of another one is left on it."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from tools.translations.catalogues import DOMAINS, compile_all, read
from twin.fleet import services
from twin.fleet.models import Membership
from twin.fleet.permissions import Role
from twin.preferences.models import Preference
from twin.sites.models import Site
from twin.sites.services import save_site
from webui.help.guides import FILES, guide
from webui.units import quantity_text

pytestmark = pytest.mark.database
FINNISH = {"HTTP_ACCEPT_LANGUAGE": "fi-FI,fi;q=0.9,en;q=0.5"}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """As set-up leaves it; a change of a catalogue needs no set-up to be tested."""
    compile_all()


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    """A request leaves its language with the thread that served it."""
    with translation.override(settings.LANGUAGE_CODE):
        yield


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


def language_of(response: Any) -> str:
    found = re.search(r'<html lang="(\w+)"', response.content.decode())
    assert found
    assert response["Content-Language"] == found[1]
    return found[1]


def test_a_browser_gets_what_it_asks_for(client: Client) -> None:
    assert language_of(client.get("/accounts/login/")) == "en"
    assert language_of(client.get("/accounts/login/", **FINNISH)) == "fi"
    assert language_of(client.get("/accounts/login/", HTTP_ACCEPT_LANGUAGE="sv,de")) == "en"


def test_a_choice_before_signing_in_is_kept_by_the_browser(client: Client) -> None:
    response = client.post("/preferences/language/", {"language": "fi", "next": "/accounts/login/"})
    assert (response.status_code, response["Location"]) == (302, "/accounts/login/")
    cookie = response.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    page = client.get("/accounts/login/")
    assert language_of(page) == "fi"
    assert "Kirjaudu sisään" in page.content.decode()


def test_the_choice_of_a_person_wins_over_cookie_and_header(alice: Client, story: Any) -> None:
    alice.post("/preferences/language/", {"language": "en", "next": "/machines/"})
    assert Preference.objects.for_user(story.alice).get().language == "en"
    alice.cookies[settings.LANGUAGE_COOKIE_NAME] = "fi"
    assert language_of(alice.get("/machines/", **FINNISH)) == "en"
    alice.post("/preferences/language/", {"language": "fi"})
    del alice.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert language_of(alice.get("/machines/", HTTP_ACCEPT_LANGUAGE="en")) == "fi"
    assert not Preference.objects.for_user(story.bob).exists()


def test_a_language_nobody_knows_changes_nothing_and_is_named(alice: Client, story: Any) -> None:
    response = alice.post("/preferences/language/", {"language": "tlh", "next": "/machines/"}, follow=True)
    assert "Unknown language &#x27;tlh&#x27;. Available: en, fi." in response.content.decode()
    assert not Preference.objects.for_user(story.alice).exists()
    assert alice.post("/preferences/language/", {"language": "fi", "next": "//x.example"})["Location"] == "/"


def test_scripts_get_their_words_from_a_file_of_ours_in_the_language_of_the_page(client: Client) -> None:
    english = client.get("/accounts/login/")
    finnish = client.get("/accounts/login/", **FINNISH)
    assert '<script src="/static/words/fi.js"></script>' in finnish.content.decode()
    assert '<script src="/static/words/en.js"></script>' in english.content.decode()
    policy = "Content-Security-Policy"
    assert finnish[policy] == english[policy]


def test_programs_read_english_and_si(alice: Client, story: Any) -> None:
    address = f"/api/v1/machines/{story.machine.pk}"
    english = alice.get(address).json()
    alice.post("/preferences/language/", {"language": "fi"})
    assert alice.get(address, **FINNISH).json() == english
    problem = alice.get("/api/v1/machines/00000000-0000-0000-0000-000000000000", **FINNISH)
    assert problem.status_code == 404
    assert "machine" in problem.json()["detail"].lower()


def test_numbers_and_days_are_written_as_people_write_them() -> None:
    assert quantity_text(1.82e7, "pressure", "metric") == "182.0 bar"
    with translation.override("fi"):
        assert quantity_text(1.82e7, "pressure", "metric") == "182,0 bar"
        assert quantity_text(1.82e7, "pressure", "us") == "2\u2009640 psi"


def test_the_guides_are_there_in_finnish() -> None:
    for name in FILES:
        english, finnish = guide(name), guide(name, "fi")
        assert (english.language, finnish.language) == ("en", "fi")
        assert finnish.title != english.title
        assert finnish.html.count("<h2>") == english.html.count("<h2>")
        assert finnish.html.count("<tr>") == english.html.count("<tr>")
        assert finnish.html.count("<img") == english.html.count("<img")


# what is left of English


class Texts(HTMLParser):
    """What a person reads or hears of a page; what is code or has a language of its own is left out."""

    SPOKEN = ("aria-label", "aria-roledescription", "title", "placeholder", "alt")
    SILENT = ("script", "style", "code", "pre", "template")
    EMPTY = ("img", "input", "meta", "link", "br", "use", "path", "rect", "circle")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        foreign = tag in self.SILENT or "code" in (given.get("class") or "").split()
        foreign = foreign or (tag != "html" and "lang" in given) or (bool(self._open) and self._open[-1][1])
        if not foreign and tag != "tr":  # the title of a row is the name that programs use
            self.found |= {(given[name] or "").strip() for name in self.SPOKEN if name in given}
        if tag not in self.EMPTY:
            self._open.append((tag, foreign))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not (self._open and self._open[-1][1]):
            self.found.add(" ".join(data.split()))


def pages(story: Any) -> list[str]:
    crane = services.create_machine(story.organisation, "Nosturi 1", "loader-crane")
    digger = services.create_machine(story.organisation, "Kaivuri 1", "excavator")
    ours = f"/organisations/{story.organisation.pk}"
    machines = [f"/machines/{machine.pk}/" for machine in (story.machine, crane, digger)]
    account = ["", "password/change/", "sessions/", "tokens/", "2fa/", "email/"]
    return [
        "/machines/",
        *machines,
        *(f"{address}model/" for address in machines),
        "/machines/sites/",
        "/help/",
        *(f"/help/{name}/" for name in FILES),
        "/organisations/machines/new/",
        *(f"/accounts/{part}" for part in account),
        *(f"{ours}/{part}/" for part in ("members", "roles", "sharing", "webhooks", "audit")),
        "/nothing-here/",
    ]


OUTSIDE = ("/accounts/login/", "/accounts/password/reset/", "/accounts/signup/", "/organisations/new/")
WORDS = re.compile(r"[A-Za-z]{3,}")
# the same in both languages: names of people, machines and things that are called so everywhere
NAMES = (
    "Northern",
    "alice",
    "Hydratwin",
    "Nosturi",
    "Kaivuri",
    "UTC",
    "NIS",
    "ISO ",
    "EN 1",
    "Webhook",
    "four-bar-b",
)


@cache
def changed() -> set[str]:
    """What is another text in Finnish."""
    entries = (entry for domain in DOMAINS for entry in read("fi", domain))
    return {e.msgid.replace("%%", "%") for e in entries if e.msgid != e.msgstr and len(e.msgid) > 3}


def leftovers(english: str, finnish: str) -> set[str]:
    """Texts of several words that are the same on both pages, and entries of the catalogue as they were."""
    before, after = Texts(english).found, Texts(finnish).found
    same = {text for text in before & after if len(WORDS.findall(text)) > 1}
    return {text for text in same | (after & changed()) if not any(name in text for name in NAMES)}


def both(client: Client, address: str) -> tuple[str, str]:
    answers = [client.get(address, follow=True, **header) for header in ({}, FINNISH)]
    assert [language_of(answer) for answer in answers] == ["en", "fi"], address
    return answers[0].content.decode(), answers[1].content.decode()


def test_no_page_in_finnish_has_english_left_on_it(alice: Client, story: Any) -> None:
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.ADMINISTRATOR)
    found = {address: leftovers(*both(alice, address)) for address in pages(story)}
    assert {address: texts for address, texts in found.items() if texts} == {}


def test_no_page_before_signing_in_has_english_left_on_it(client: Client, story: Any) -> None:
    found = {address: leftovers(*both(client, address)) for address in OUTSIDE}
    assert {address: texts for address, texts in found.items() if texts} == {}


def test_what_is_left_would_be_found() -> None:
    page = '<html lang="{}"><p>{}</p><p title="Not {}">x</p><p lang="en">Only in English</p></html>'
    english = page.format("en", "Sign in", "translated at all")
    assert leftovers(english, page.format("fi", "Sign in", "translated at all")) == {
        "Sign in",
        "Not translated at all",
    }
    assert leftovers(english, page.format("fi", "Kirjaudu sisään", "kään")) == set()


def test_drawings_keep_their_numbers(alice: Client, story: Any) -> None:
    """A decimal comma would break a path, and what scripts read."""
    site = Site(organisation=story.organisation, name="Northern yard", east_m=12.5, north_m=-7.25)
    save_site(site, [story.machine.pk])
    for address in pages(story)[:4]:
        english, finnish = both(alice, address)
        for name in (
            "d",
            "viewBox",
            "transform",
            "x",
            "y",
            "width",
            "height",
            "data-low",
            "data-high",
            "data-zones",
        ):
            pattern = rf'\s{name}="([^"]*)"'
            assert re.findall(pattern, finnish) == re.findall(pattern, english), (address, name)
