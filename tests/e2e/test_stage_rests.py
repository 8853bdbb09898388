"""The stage allocates nothing with its pictures, and draws none when nothing is to be seen of them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.conftest import PATIENCE_MS, OpenPage, launch
from tests.e2e.lone_page import APART, LonePage
from tests.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

SMALL = {"width": 420, "height": 700}
COMPILED = 5_000  # pictures after which the browser has compiled what runs with each
MANY = 2_000
MOST_BYTES = 24  # two numbers in boxes; an object with two of them would be more
HIDDEN = """hidden => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
ALLOCATE = """() => {
  const clear = WebGL2RenderingContext.prototype.clear;
  WebGL2RenderingContext.prototype.clear = function (mask) {
    window.kept = new Array(5).fill(mask);
    clear.call(this, mask);
  };
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = launch(playwright, APART)
        yield chromium
        chromium.close()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(viewport=SMALL)


@pytest.fixture
def lone(page: Page) -> LonePage:
    """A page that shows a working excavator; the camera goes with its bucket, and labels with both."""
    lone = LonePage(page)

    def posed() -> bool:
        lone.work(0.2)
        return page.locator(".stage[data-posed=yes]").count() == 1

    wait_for(posed, "the stage shows the machine")
    page.get_by_role("button", name="Follow").click()
    return lone


def test_a_picture_allocates_nothing(page: Page, lone: LonePage) -> None:
    """Once compiled; and the measure would have seen an array of five numbers."""
    lone.hurry(COMPILED, 2 * PATIENCE_S)
    assert lone.allocated(MANY, PATIENCE_S) <= MOST_BYTES
    page.evaluate(ALLOCATE)
    assert lone.allocated(MANY, PATIENCE_S) > MOST_BYTES


def test_a_hidden_page_draws_nothing_though_the_machine_works(page: Page, lone: LonePage) -> None:
    page.evaluate(HIDDEN, True)
    expect(page.locator(".stage")).to_have_attribute("data-loop", "paused")
    before = lone.pictures
    lone.work(1.0)
    assert lone.pictures == before
    page.evaluate(HIDDEN, False)
    lone.work_until_drawn(5, PATIENCE_S)


def test_a_machine_that_stands_still_is_not_drawn_again(page: Page, lone: LonePage) -> None:
    """No frames come any more: the pose is reached, and that was the last picture."""

    def rests() -> bool:
        before = lone.pictures
        page.wait_for_timeout(1000)
        return lone.pictures == before

    wait_for(rests, "the stage stops drawing")
    lone.work_until_drawn(5, PATIENCE_S)
