"""A real Chromium, and pages that fail their test on any console error or policy violation."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, StorageState, expect, sync_playwright

from tests.system.stack import Stack
from tests.waiting import PATIENCE_S

FLAGS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # else it draws the whole page, at 6 pictures a second instead of 40
]
PATIENCE_MS = PATIENCE_S * 1000
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

OpenPage = Callable[..., Page]


def launch(playwright: Playwright, *more: str) -> Browser:
    """The system's Chromium; without one, Playwright's own. `more`: further flags."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return playwright.chromium.launch(executable_path=found, args=[*FLAGS, *more])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a file of tests: while it is open, its event loop runs, and asynchronous tests cannot."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


class Complaints(list[str]):
    """What a page complained about on its console; policy violations are reported there too."""

    def expect(self, *fragments: str) -> None:
        """Forget complaints a test provoked on purpose."""
        self[:] = [text for text in self if not any(fragment in text for fragment in fragments)]


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    found = Complaints()
    yield found
    assert not found, "\n".join(found)


def sign_in(page: Page, stack: Stack, name: str = "manager", password: str | None = None) -> None:
    page.goto(stack.url)
    fill_in(page, stack, name, password)


def fill_in(page: Page, stack: Stack, name: str = "manager", password: str | None = None) -> None:
    """The form of the sign-in page."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password or stack.logins[name])
    page.get_by_role("button", name="Sign in").click()


@pytest.fixture(scope="module")
def manager(browser: Browser, shared_stack: Stack) -> StorageState:
    """The cookies of a manager who has signed in: for tests of what comes after it."""
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, shared_stack)
    expect(page).to_have_url(f"{shared_stack.url}/machines/")
    cookies = context.storage_state()
    context.close()
    return cookies


@pytest.fixture
def open_page(browser: Browser, complaints: Complaints) -> Iterator[OpenPage]:
    """Opens a page in a context of its own: nothing cached, no cookies but those that are given."""
    contexts = []

    def open_one(
        cookies: StorageState | None = None, viewport: dict[str, int] = DESKTOP, color_scheme: str = "light"
    ) -> Page:
        context = browser.new_context(viewport=viewport, color_scheme=color_scheme, storage_state=cookies)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
        return page

    yield open_one
    for context in contexts:
        context.close()
