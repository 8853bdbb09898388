"""The product in Finnish: the switch on the sign-in page and in the shell, words of pages and of scripts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.e2e.accessible import serious_findings
from tests.e2e.conftest import PHONE, OpenPage
from tests.system.stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.e2e]


@pytest.fixture
def page(open_page: OpenPage, stack: Stack, manager: StorageState) -> Iterator[Page]:
    """The manager's fleet; others share the account, so it is left in English."""
    page = open_page(manager)
    page.goto(f"{stack.url}/machines/")
    yield page
    page.goto(f"{stack.url}/machines/")
    page.locator(".language button[lang=en]").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_fleet_and_machine_are_told_in_finnish_by_pages_and_scripts(page: Page, stack: Stack) -> None:
    page.get_by_role("button", name="Suomi").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    expect(page.get_by_role("heading", name="Kalusto", level=1)).to_be_visible()
    row = page.locator(f'.row[data-machine="{stack.machine}"]')
    # by the page's script: the line of the connection; over the socket: the reason; by both: the state
    expect(page.locator(".fleet-live")).to_have_text("Suorana: päivittyy kahdesti sekunnissa.")
    expect(row.locator("[data-live=text]")).to_have_text("Kaksonen seuraa konetta")
    expect(row.locator("[data-live=status]")).to_have_text("Tahdissa")
    assert serious_findings(page) == []

    row.locator(".row-name").click()
    expect(page.locator(".verdict .pill-word")).to_have_text("Tahdissa")
    expect(page.locator('[data-concern="sensors"]')).to_have_text("Anturit kunnossa")
    hose = page.locator('.tile[data-channel="hose.p"]')
    expect(hose.locator(".tile-label")).to_have_text("Letkun paine")
    expect(hose.locator(".tile-number")).to_contain_text(",")
    expect(page.locator(".stage[data-posed=yes]")).to_be_visible()
    expect(page.locator(".stage-pose")).to_contain_text("Kampi")
    expect(page.locator(".stage-label-name").first).to_have_text("kampi")
    strip = page.locator('.strip[data-channel="hose.p"]')
    strip.scroll_into_view_if_needed()  # what nobody sees is not drawn
    expect(strip.locator(".strip-takeaway")).to_contain_text("Välillä")
    assert serious_findings(page) == []


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_longer_words_do_not_push_pages_sideways(
    page: Page, stack: Stack, open_page: OpenPage, manager: StorageState, viewport: dict[str, int]
) -> None:
    page.get_by_role("button", name="Suomi").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    small = open_page(manager, viewport)
    for address in (
        "/machines/",
        f"/machines/{stack.machine}/",
        f"/machines/{stack.machine}/model/",
        "/accounts/",
    ):
        small.goto(stack.url + address)
        expect(small.locator("html")).to_have_attribute("lang", "fi")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert small.evaluate(wide) == 0, address


def test_the_sign_in_page_can_be_read_before_signing_in(open_page: OpenPage, stack: Stack) -> None:
    page = open_page()
    page.goto(stack.url)
    page.get_by_role("button", name="Suomi").click()
    expect(page.get_by_role("heading", name="Kirjaudu sisään")).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
