"""The fleet manager's story: signs in, opens the rig, sees it move, sees it fall silent and come back."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, StorageState, expect

from tests.e2e.conftest import PHONE, Complaints, OpenPage, fill_in, sign_in
from tests.system.replayed import checkpoint_of
from tests.system.stack import Stack
from tests.waiting import PATIENCE_S, wait_for

pytestmark = [pytest.mark.system, pytest.mark.e2e]

ARTIFACTS = Path("test-artifacts")
PRESSURES = ("hose.p", "cylinder.p_A", "cylinder.p_B")
STATUS = ".verdict .pill-word"
SETTLING_US = 5_000_000
ENCODER_NOISE = 1.0  # deg: four standard deviations
# what the page shows of the crank in one moment: status, twin, half its band, reading
CRANK = """() => {
  const tile = document.querySelector('.tile[data-channel="crank.angle"]');
  const text = (part) => tile.querySelector(part).textContent.replace("\\u2212", "-");
  const number = (part) => Number(text(part).replace(/[^-0-9.]/g, ""));
  const status = document.querySelector(".verdict .pill-word").textContent;
  return [status, number(".tile-number"), number(".tile-band"), number(".tile-reading-value")];
}"""

# when a tile first shows a number, in ms since the page was opened
NOTE_FIRST_VALUE = """
new MutationObserver((_, observer) => {
  const number = document.querySelector(".tile .tile-number");
  if (!/[0-9]/.test(number?.textContent ?? "")) return;
  window.firstValueAt = performance.now();
  observer.disconnect();
}).observe(document, {childList: true, characterData: true, subtree: true});
"""


def open_rig(page: Page, stack: Stack) -> None:
    page.goto(f"{stack.url}/machines/")
    if page.get_by_label("Username").is_visible():
        fill_in(page, stack)
    page.get_by_role("link", name="Laboratory rig").click()
    expect(page.locator(STATUS)).to_have_text("Synced")
    expect(page.locator(".stage[data-state=ready]")).to_be_visible()


def tile(page: Page, channel: str) -> Locator:
    return page.locator(f'.tile[data-channel="{channel}"]')


def strip(page: Page, channel: str) -> Locator:
    return page.locator(f'.strip[data-channel="{channel}"]')


def drawn(page: Page, channel: str) -> str:
    """The pixels of a strip, which is drawn only where it can be seen."""
    strip(page, channel).scroll_into_view_if_needed()
    pixels: str = strip(page, channel).locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
    return pixels


def sideways_scroll(page: Page) -> int:
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def words_shown(page: Page, selector: str) -> Callable[[], list[str]]:
    """Every text that a part of the page shows from now on, however short; asked for by a call."""
    page.evaluate(
        """selector => {
          const part = document.querySelector(selector);
          const seen = (window.wordsShown ??= {})[selector] = [part.textContent];
          const note = () => seen.at(-1) === part.textContent || seen.push(part.textContent);
          new MutationObserver(note).observe(part, {childList: true, characterData: true, subtree: true});
        }""",
        selector,
    )
    return lambda: page.evaluate("selector => window.wordsShown[selector]", selector)


def screenshot(page: Page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png")


def follow_the_crank(page: Page, stack: Stack) -> None:
    """The measured crank travels, and meanwhile the twin agrees with it within its band and the noise.

    Looks are counted while the page says synced, from some seconds after the twin has begun: after a long
    silence it starts anew and needs them to find the machine. Looks add up: a busy computer pauses the page.
    """
    readings: list[float] = []
    apart: list[str] = []

    def settled() -> bool:
        frame, saved = stack.frame(), checkpoint_of(stack).record
        return bool(frame) and frame.epoch == saved.epoch and frame.t - saved.epoch_us >= SETTLING_US

    def travelled() -> bool:
        calm = settled()
        status, shown, band, reading = page.evaluate(CRANK)
        if status == "Synced" and calm:
            readings.append(reading)
            if abs(shown - reading) > band + ENCODER_NOISE:
                apart.append(f"twin {shown}, measured {reading}, band {band}")
        page.wait_for_timeout(200)
        return len(readings) >= 20 and max(readings) - min(readings) > 5

    # the crank is worked between about 45 and 70 degrees with pauses
    wait_for(travelled, "the measured crank angle travels more than 5 degrees while synced", 4 * PATIENCE_S)
    # the reading is a few hundredths of a second older than the twin, and noise has tails: a few may be apart
    assert len(apart) <= 0.1 * len(readings), "\n".join(apart)


def test_the_manager_sees_the_rig_move(open_page: OpenPage, stack: Stack) -> None:
    page = open_page()
    open_rig(page, stack)
    for channel in PRESSURES:
        before = drawn(page, channel)
        wait_for(lambda channel=channel, before=before: drawn(page, channel) != before, f"{channel} moves")
    follow_the_crank(page, stack)
    page.get_by_role("button", name="Labels").click()
    page.evaluate("window.scrollTo(0, 0)")
    picture = page.locator(".stage-view").screenshot()
    wait_for(lambda: page.locator(".stage-view").screenshot() != picture, "the mechanism moves")
    screenshot(page, "machine-1440")


def test_values_are_on_the_page_before_the_3d_view_is_fetched(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager)
    page.add_init_script(NOTE_FIRST_VALUE)
    open_rig(page, stack)
    fetched = "performance.getEntriesByType('resource').filter(each => each.name.includes('/stage_3d-'))"
    shown_ms, fetched_ms = page.evaluate(f"[window.firstValueAt, {fetched}[0].startTime]")
    assert 0 < shown_ms < fetched_ms


def test_the_page_tells_measured_from_estimated_with_uncertainty_and_age(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager)
    open_rig(page, stack)
    for channel in ("hose.p", "cylinder.p_B"):
        expect(tile(page, channel).locator(".tile-foot")).to_contain_text("measured")
    expect(tile(page, "cylinder.p_A").locator(".tile-foot")).to_contain_text("estimated")
    for channel in PRESSURES:
        expect(tile(page, channel).locator(".tile-unit")).to_have_text("bar")
        expect(tile(page, channel).locator(".tile-band")).to_contain_text("±")
        expect(tile(page, channel).locator(".tile-age")).to_contain_text(" s")
    expect(page.locator("[data-fact=age]")).to_contain_text(" s")


def test_pausing_holds_the_strips_and_going_on_moves_them(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager)
    open_rig(page, stack)
    pause = page.get_by_role("button", name="Pause")
    pause.click()

    def still_for_a_second() -> bool:
        before = drawn(page, "hose.p")
        page.wait_for_timeout(1000)
        return drawn(page, "hose.p") == before

    wait_for(still_for_a_second, "the strip holds")
    held = drawn(page, "hose.p")
    page.locator("button.pause").click()
    wait_for(lambda: drawn(page, "hose.p") != held, "the strip moves again")


def test_the_badge_turns_stale_when_the_machine_stops_and_back_when_it_returns(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager)
    open_rig(page, stack)
    words = words_shown(page, STATUS)
    stack.stop_emulator()
    expect(page.locator(STATUS)).to_have_text("Stale")
    assert "Predicting" in words()
    expect(page.locator(".verdict-sentence")).to_contain_text("No data for")
    screenshot(page, "machine-stale-1440")
    stack.start_emulator()
    expect(page.locator(STATUS)).to_have_text("Synced")


def test_the_page_shows_innovations_virtual_sensors_and_the_health_of_the_filter(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager)
    open_rig(page, stack)
    for channel in ("throttle.flow", "pump.power", "cylinder.force"):
        expect(tile(page, channel).locator(".tile-band")).to_contain_text("±")
        expect(tile(page, channel).locator(".tile-foot")).to_contain_text("estimated")
    expect(tile(page, "throttle.flow").locator(".tile-unit")).to_have_text("L/min")
    expect(tile(page, "pump.power").locator(".tile-unit")).to_have_text("kW")
    expect(page.locator(".innovation")).to_have_count(4)
    for part in page.locator(".innovation-note").all():
        expect(part).to_contain_text("% of the readings are outside ± 2 σ")
    expect(page.locator("[data-fact=nis]")).to_contain_text(".")
    expect(page.locator("[data-fact=nis-bounds]")).to_contain_text(" to ")
    # the shared cursor by keyboard, with all three traces in words
    plot = strip(page, "crank.angle").locator(".strip-plot")
    plot.focus()
    plot.press("ArrowLeft")
    expect(strip(page, "crank.angle").locator(".strip-takeaway")).to_contain_text("uncorrected")
    expect(page.locator(".findings")).to_be_hidden()


def test_a_stuck_sensor_is_named_and_the_twin_goes_on_without_it(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    stack.stop_emulator()
    stack.start_emulator("--stuck", "hose.p", "--stuck-after", "5")
    page = open_page(manager)
    open_rig(page, stack)
    expect(page.locator(".finding-text")).to_contain_text("Hose pressure sensor")
    expect(page.locator(".finding-text")).to_contain_text("stuck at")
    expect(page.locator(".verdict-sentence")).to_contain_text("Running on estimates: 1 sensor excluded")
    expect(page.locator(STATUS)).to_have_text("Synced")
    expect(tile(page, "hose.p").locator(".tile-foot")).to_contain_text("stuck")
    follow_the_crank(page, stack)
    screenshot(page, "machine-stuck-1440")
    stack.stop_emulator()
    stack.start_emulator()
    expect(page.locator(".findings")).to_be_hidden()


def test_a_lost_connection_is_said_and_mends_itself(
    open_page: OpenPage, stack: Stack, manager: StorageState, complaints: Complaints
) -> None:
    page = open_page(manager)
    open_rig(page, stack)
    words = words_shown(page, ".banner .banner-text")
    os.kill(stack.pid("web"), signal.SIGKILL)
    wait_for(lambda: any("Connection lost" in text for text in words()), "the loss is said")
    expect(page.locator(".banner")).to_be_hidden()
    expect(page.locator(STATUS)).to_have_text("Synced")
    complaints.expect("WebSocket connection to", "Failed to load resource")


def test_on_a_phone_nothing_scrolls_sideways(open_page: OpenPage, stack: Stack) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark")
    page.goto(stack.url)
    assert sideways_scroll(page) == 0
    open_rig(page, stack)
    assert sideways_scroll(page) == 0
    screenshot(page, "machine-390")
    page.goto(f"{stack.url}/machines/")
    assert sideways_scroll(page) == 0
    page.goto(f"{stack.url}/styleguide/")
    assert sideways_scroll(page) == 0


def test_the_style_guide_shows_every_component_in_both_themes(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    for scheme in ("light", "dark"):
        page = open_page(manager, color_scheme=scheme)
        page.goto(f"{stack.url}/styleguide/")
        for component in (".pill", ".tile", ".strip", ".stage", ".row", ".banner", ".field", ".button"):
            expect(page.locator(component).first).to_be_visible()
        expect(page.locator(".stage[data-state=ready]").first).to_be_visible()
        screenshot(page, f"styleguide-{scheme}")


def test_the_theme_is_switched_by_keyboard_and_remembered(
    open_page: OpenPage, stack: Stack, manager: StorageState
) -> None:
    page = open_page(manager)
    page.goto(f"{stack.url}/machines/")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.locator("#theme-switch").focus()
    page.keyboard.press("Enter")
    wait_for(lambda: page.evaluate(background) != light, "the theme changes")
    page.reload()
    wait_for(lambda: page.evaluate(background) != light, "the theme is remembered")


def test_a_wrong_password_is_answered_with_what_to_do(open_page: OpenPage, stack: Stack) -> None:
    page = open_page()
    sign_in(page, stack, "customer", "not the password")
    expect(page.get_by_role("alert")).to_contain_text("Wrong user name or password")


def test_a_machine_that_is_not_there_leads_back_to_those_that_are(
    open_page: OpenPage, stack: Stack, manager: StorageState, complaints: Complaints
) -> None:
    page = open_page(manager)
    page.goto(f"{stack.url}/machines/00000000-0000-0000-0000-000000000000/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("main").get_by_role("link").first.click()
    expect(page).to_have_url(f"{stack.url}/machines/")
    complaints.expect("404")
