"""The fleet manager's story: who needs me now, what fails there, and the evidence of it.

One real twin fails; the other machines of the fleet are recorded, because two cores carry no dozen twins.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.e2e.axe import grave_findings
from tests.e2e.conftest import PHONE, OpenPage, sign_in
from tests.recorded_fleet import DISHONEST, Recorded, kept_young
from tests.system.stack import Stack
from tests.waiting import wait_for

pytestmark = [pytest.mark.system, pytest.mark.e2e]

ARTIFACTS = Path("test-artifacts")
MAKE_FLEET = """
import json
from twin.fleet import services
from twin.fleet.models import Machine, Organisation
from twin.sites.models import Site
from twin.sites.services import save_site
demo = Organisation.objects.for_runtime().get(name="Hydratwin demo")
made = {}
models = {"Loader crane 7": "loader-crane", "Excavator 8": "excavator", "Excavator 9": "excavator"}
for name, model in models.items():
    known = Machine.objects.for_runtime().filter(organisation=demo, name=name).first()
    made[name] = str((known or services.create_machine(demo, name, model)).pk)
if not Site.objects.for_runtime().filter(name="Test quarry").exists():
    quarry = Site(organisation=demo, name="Test quarry", kind="quarry", east_m=600.0, north_m=800.0)
    save_site(quarry, [made["Excavator 8"], made["Excavator 9"]])
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def fleet(shared_stack: Stack) -> Iterator[dict[str, str]]:
    """Three more machines beside the rig: two do well, one has a filter that is not honest."""
    made: dict[str, str] = json.loads(shared_stack.django(MAKE_FLEET))
    machines = [
        Recorded(made["Loader crane 7"], "loader-crane", 9_000.0),
        Recorded(made["Excavator 8"], "excavator", 40_000.0),
        Recorded(made["Excavator 9"], "excavator", 55_000.0, changes=DISHONEST),
    ]
    with kept_young(shared_stack.client, machines):
        yield made


def row(page: Page, name: str) -> object:
    return page.locator(".row", has=page.get_by_role("link", name=name, exact=True))


def names(page: Page) -> list[str]:
    found: list[str] = page.locator(".row:not([hidden]) .row-name").all_inner_texts()
    return found


def screenshot(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png")


def test_the_manager_finds_the_failing_machine_and_the_evidence(
    open_page: OpenPage, stack: Stack, fleet: dict[str, str]
) -> None:
    page = open_page()
    sign_in(page, stack)
    expect(page.locator(".fleet-live")).to_contain_text("Live")
    expect(row(page, "Laboratory rig").locator(".pill-word")).to_have_text("OK")
    # the sensor gets stuck while the page is open: it moves to the top by itself, with the reason
    stack.stop_emulator()
    stack.start_emulator("--stuck", "hose.p", "--stuck-after", "5")
    reason = row(page, "Laboratory rig").locator(".row-reason")
    expect(reason).to_contain_text("Hose pressure sensor stuck at")
    wait_for(lambda: names(page)[:2] == ["Excavator 9", "Laboratory rig"], lambda: f"the order {names(page)}")
    page.locator(".summary-part[data-level=plan]").click()
    wait_for(lambda: len(names(page)) == 2, lambda: f"only what is to plan: {names(page)}")
    screenshot(page, "fleet-1440")

    page.get_by_role("link", name="Laboratory rig").click()
    expect(page.locator(".finding-text").first).to_contain_text("Hose pressure sensor")
    expect(page.locator('.tile[data-channel="hose.p"] .tile-foot')).to_contain_text("stuck")
    expect(page.locator('.innovation[data-channel="hose.p"]')).to_be_visible()
    assert_evidence(page)
    stack.stop_emulator()
    stack.start_emulator()


def assert_evidence(page: Page) -> None:
    """The exported readings show it: one sensor stands still while the other pressure does not."""

    def exported() -> dict[str, set[str]]:
        with page.expect_download() as download:
            page.get_by_role("link", name="Export CSV").click()
        rows = list(csv.DictReader(download.value.path().read_text().splitlines()))[-100:]
        return {name: {row[f"{name} [Pa]"] for row in rows} for name in ("hose.p", "cylinder.p_B")}

    def stood_still() -> dict[str, set[str]] | None:
        found = exported()
        return found if len(found["hose.p"]) == 1 else None

    found = wait_for(stood_still, "an export whose last two seconds show the stuck sensor")
    assert len(found["cylinder.p_B"]) > 50


def test_the_look_is_in_the_address_and_can_be_kept(
    open_page: OpenPage, stack: Stack, manager: StorageState, fleet: dict[str, str]
) -> None:
    page = open_page(manager)
    page.goto(f"{stack.url}/machines/")
    page.get_by_placeholder("Find a machine").fill("excavator")
    wait_for(lambda: names(page) == ["Excavator 9", "Excavator 8"], lambda: f"{names(page)}")
    page.get_by_label("Order").select_option("load")
    expect(page).to_have_url(f"{stack.url}/machines/?search=excavator&sort=load")
    page.reload()
    wait_for(lambda: names(page) == ["Excavator 9", "Excavator 8"], lambda: f"{names(page)}")
    page.locator("summary", has_text="Saved views").click()
    page.get_by_label("Name of the view").fill("Diggers")
    page.get_by_role("button", name="Save this view").click()
    page.goto(f"{stack.url}/machines/")
    page.locator("summary", has_text="Saved views").click()
    page.get_by_role("link", name="Diggers").click()
    expect(page).to_have_url(f"{stack.url}/machines/?search=excavator&sort=load")


def test_a_site_on_the_plan_filters_the_list(
    open_page: OpenPage, stack: Stack, manager: StorageState, fleet: dict[str, str]
) -> None:
    page = open_page(manager)
    page.goto(f"{stack.url}/machines/?layout=plan")
    quarry = page.locator(".plan-site", has_text="Test quarry")
    expect(quarry).to_have_attribute("data-level", "plan")
    quarry.click()
    wait_for(lambda: set(names(page)) == {"Excavator 8", "Excavator 9"}, lambda: f"{names(page)}")
    screenshot(page, "fleet-plan-1440")


def test_units_are_switched_for_all_pages(
    open_page: OpenPage, stack: Stack, manager: StorageState, fleet: dict[str, str]
) -> None:
    page = open_page(manager)
    page.goto(f"{stack.url}/machines/")
    expect(row(page, "Excavator 8").locator("[data-live=power]")).to_contain_text("kW")
    page.get_by_role("button", name="Units: Metric").click()
    expect(row(page, "Excavator 8").locator("[data-live=power]")).to_contain_text("hp")
    page.get_by_role("link", name="Laboratory rig").click()
    expect(page.locator('.tile[data-channel="hose.p"] .tile-unit')).to_have_text("psi")
    page.get_by_role("button", name="Units: US").click()
    expect(page.locator('.tile[data-channel="hose.p"] .tile-unit')).to_have_text("bar")


def test_the_tour_leads_by_keyboard_from_the_fleet_to_a_machine(
    open_page: OpenPage, stack: Stack, manager: StorageState, fleet: dict[str, str]
) -> None:
    page = open_page(manager)
    page.goto(f"{stack.url}/help/")
    page.get_by_role("link", name="Start the tour").press("Enter")
    card = page.get_by_role("dialog")
    expect(card).to_contain_text("What needs attention?")
    expect(card.get_by_role("button", name="Next")).to_be_focused()
    while page.url.startswith(f"{stack.url}/machines/") and "/machines/?" not in page.url:
        title = card.get_by_role("heading").inner_text()
        last = card.get_by_role("button", name="Open the machine").count() > 0
        page.keyboard.press("Enter")
        if last:
            break
        wait_for(lambda title=title: card.get_by_role("heading").inner_text() != title, "the next step")
    expect(card).to_contain_text("Can you trust this page now?")
    assert grave_findings(page) == []
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    page.reload()
    expect(page.locator(".verdict")).to_be_visible()
    expect(card).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_keeps_anybody_out(
    open_page: OpenPage, stack: Stack, manager: StorageState, fleet: dict[str, str], scheme: str
) -> None:
    page = open_page(manager, color_scheme=scheme)
    rig = f"/machines/{stack.machine}/"
    pages = ["/machines/", "/machines/?layout=cards", "/machines/?layout=plan", "/machines/?search=nothing"]
    pages += ["/machines/sites/", "/organisations/machines/new/", "/help/", "/help/engineer/"]
    pages += [rig, f"{rig}model/"]
    found = {}
    for address in pages:
        page.goto(f"{stack.url}{address}")
        page.wait_for_load_state("load")
        found[address] = grave_findings(page)
    assert [each for findings in found.values() for each in findings] == [], found


def test_on_a_phone_the_fleet_stacks_and_nothing_scrolls_sideways(
    open_page: OpenPage, stack: Stack, manager: StorageState, fleet: dict[str, str]
) -> None:
    page = open_page(manager, viewport=PHONE, color_scheme="dark")
    for address in ("/machines/", "/machines/?layout=plan", "/machines/sites/", "/help/", "/help/engineer/"):
        page.goto(f"{stack.url}{address}")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) == 0, address
    page.goto(f"{stack.url}/machines/")
    screenshot(page, "fleet-390")
