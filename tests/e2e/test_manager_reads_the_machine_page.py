"""The machine page: circuit, gauges, a stage that rests when unseen; by mouse, keys and screen reader."""

import re

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.e2e.accessible import serious_findings
from tests.e2e.conftest import PHONE, OpenPage
from tests.system.stack import Stack
from tests.waiting import wait_for

pytestmark = [pytest.mark.system, pytest.mark.e2e]

# how often the stage asked the graphics for a picture; noted before any script of the page runs
COUNT_DRAWS = """
window.draws = 0;
const drawArrays = WebGL2RenderingContext.prototype.drawArrays;
WebGL2RenderingContext.prototype.drawArrays = function (...given) {
  window.draws += 1;
  return drawArrays.apply(this, given);
};
"""


@pytest.fixture
def page(open_page: OpenPage, stack: Stack, manager: StorageState) -> Page:
    page = open_page(manager)
    page.add_init_script(COUNT_DRAWS)
    page.goto(f"{stack.url}/machines/{stack.machine}/")
    expect(page.locator(".verdict .pill-word")).to_have_text("Synced")
    expect(page.locator(".stage[data-state=ready]")).to_be_visible()
    return page


# the pressure of the hose in one moment: on the drawing and on its tile
HOSE = """() => ['.c-badge[data-channel="hose.p"] .c-number', '.tile[data-channel="hose.p"] .tile-number']
  .map((part) => Number(document.querySelector(part).textContent))"""


def test_the_circuit_shows_every_pressure_and_opens_its_strip(page: Page) -> None:
    """By mouse and by keyboard; the number on the drawing is the one of the tile."""
    expect(page.locator(".c-badge")).to_have_count(3)
    for channel in ("hose.p", "cylinder.p_A", "cylinder.p_B"):
        badge = page.locator(f'.c-badge[data-channel="{channel}"]')
        expect(badge.locator(".c-number")).not_to_have_text("–")
        expect(badge).to_have_attribute("data-level", re.compile("[0-5]"))
    drawn, told = page.evaluate(HOSE)
    assert drawn == pytest.approx(told, abs=1e-9)
    assert drawn > 1.0
    page.locator('.c-badge[data-channel="cylinder.p_A"]').click()
    expect(page.locator('.circuit-dock .strip[data-channel="cylinder.p_A"]')).to_be_visible()
    page.locator('.c-badge[data-channel="hose.p"]').focus()
    expect(page.locator(".circuit-readout")).to_contain_text("bar")
    page.keyboard.press("Enter")
    expect(page.locator('.circuit-dock .strip[data-channel="hose.p"]')).to_be_visible()
    expect(page.locator('.strips .strip[data-channel="cylinder.p_A"]')).to_be_visible()
    expect(page.locator(".circuit-dock .strip-takeaway")).to_contain_text("Between")


def test_arrows_and_spool_follow_the_lever(page: Page) -> None:
    """The rig's operator works: the valve opens now and then, and oil flows where it does."""
    valve = page.locator('.c-symbol[data-kind="directional"]')
    wait_for(lambda: valve.get_attribute("data-open") in ("a", "b"), "the valve opens")
    arrow = page.locator('.c-arrow[data-channel="valve.flow_A"]')
    wait_for(
        lambda: (
            (valve.get_attribute("data-open"), arrow.get_attribute("data-flow"))
            in (("a", "forward"), ("b", "back"))
        ),
        "oil flows to A when the supply is led there, and back when it is led to B",
    )


def test_the_stage_rests_when_nobody_can_see_it(page: Page) -> None:
    """Out of the window, it asks the graphics for nothing; back in it, it goes on."""
    wait_for(lambda: page.evaluate("window.draws") > 0, "the stage draws")
    expect(page.locator(".stage")).to_have_attribute("data-loop", "running")
    page.evaluate("document.querySelector('.consistency').scrollIntoView()")
    expect(page.locator(".stage")).to_have_attribute("data-loop", "paused")
    before = page.evaluate("window.draws")
    page.wait_for_timeout(1500)  # the rig works with short pauses: it would have been drawn
    assert page.evaluate("window.draws") == before
    page.evaluate("window.scrollTo(0, 0)")
    expect(page.locator(".stage")).to_have_attribute("data-loop", "running")
    wait_for(lambda: page.evaluate("window.draws") > before, "the stage draws again")


def test_a_part_is_chosen_by_the_list_and_told_with_origin_and_age(page: Page) -> None:
    page.get_by_label("Part").select_option("Cylinder")
    expect(page.locator(".stage-part-values .stage-value")).to_have_count(4)
    expect(page.locator(".stage-part-values")).to_contain_text("kN")
    expect(page.locator(".stage-part-age")).to_contain_text(" s")
    page.get_by_role("button", name="Pressure", exact=True).click()
    expect(page.locator(".stage-scale")).to_contain_text("bar")
    page.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "true")


def test_gauge_efficiency_and_real_time_tell_what_they_rest_on(page: Page) -> None:
    gauge = page.locator('.gauge[data-channel="pump.power"]')
    expect(gauge.locator(".tile-unit")).to_have_text("kW")
    expect(gauge.locator(".tile-band")).to_contain_text("±")
    expect(gauge.locator(".tile-age")).to_contain_text(" s")
    expect(page.locator(".efficiency-window")).to_contain_text("of live data since this page was opened")
    expect(page.locator(".realtime [data-fact=load]")).to_contain_text("%")
    expect(page.locator(".realtime [data-fact=lag]")).to_contain_text(" ms")
    for name in ("sensors", "filter", "pace"):
        expect(page.locator(f"[data-concern={name}] .concern-words")).not_to_be_empty()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    open_page: OpenPage, stack: Stack, manager: StorageState, scheme: str
) -> None:
    page = open_page(manager, color_scheme=scheme)
    page.goto(f"{stack.url}/machines/{stack.machine}/")
    expect(page.locator(".stage[data-state=ready]")).to_be_visible()
    page.locator(".c-badge").first.click()
    assert serious_findings(page) == []
    page.goto(f"{stack.url}/styleguide/")
    expect(page.locator(".stage[data-state=ready]")).to_be_visible()
    assert serious_findings(page) == []


def test_on_a_phone_the_circuit_scrolls_inside_and_the_page_does_not(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager, viewport=PHONE)
    page.goto(f"{stack.url}/machines/{stack.machine}/")
    expect(page.locator(".circuit-drawing")).to_be_visible()
    for _ in range(3):
        page.get_by_role("button", name="Larger").press("Enter")
    scrolls = "e => e.scrollWidth > e.clientWidth"
    assert page.locator(".circuit-frame").evaluate(scrolls)
    assert not page.evaluate(f"({scrolls})(document.documentElement)")
