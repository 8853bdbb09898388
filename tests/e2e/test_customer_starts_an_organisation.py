"""The new customer's story: an organisation, a machine that runs within a minute, and one's own connected."""

import subprocess
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import grave_findings
from tests.e2e.conftest import OpenPage
from tests.system.stack import Stack
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.system, pytest.mark.e2e]

ARTIFACTS = Path("test-artifacts")


def test_a_new_organisation_sees_a_machine_run_and_connects_its_own(
    open_page: OpenPage, shared_stack: Stack
) -> None:
    stack = shared_stack
    page = open_page()
    page.goto(f"{stack.url}/organisations/new/")
    assert grave_findings(page) == []
    page.get_by_label("Name of your organisation").fill(f"Eastern {time.time_ns()}")
    page.get_by_label("Your user name").fill(f"dora{time.time_ns()}")
    page.get_by_label("Password").fill("a long and unusual sentence")
    page.get_by_role("button", name="Start").click()

    demo, own = page.locator(".step").all()
    expect(own.locator("[data-live=text]")).to_contain_text("No data yet")
    line = own.locator("#line").inner_text()
    sent = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert '"accepted":1' in sent.stdout.replace(" ", "")
    expect(own.locator(".step-done")).to_be_visible()
    expect(demo.locator(".pill-word")).to_have_text("OK", timeout=4 * PATIENCE_S * 1000)
    assert grave_findings(page) == []
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "started-1440.png", full_page=True)

    demo.get_by_role("link").click()
    expect(page.locator(".verdict .pill-word")).to_have_text("Synced")
    page.goto(f"{stack.url}/machines/")
    expect(page.locator(".row-name")).to_have_count(2)
    assert not page.get_by_text("Laboratory rig").count()
