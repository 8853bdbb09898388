"""The platform with one live twin: how soon it is there, how far the picture is behind the machine.

python -m tests.bench.live    these figures alone, printed
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from tests.bench import recovery
from tests.bench.figures import Figure, tell, told_section
from tests.e2e.conftest import launch
from tests.system.stack import DemoProcess, Stack
from twin import keys
from twin.runtime import frames
from twin.settings import TELEMETRY_DELAY_US

LISTEN_S = 30.0
PAGES = 5
VALUES_SHOWN = """() => document.querySelector(".verdict .pill-word")?.textContent === "Synced"
  && [...document.querySelectorAll(".tile .tile-number")].some(tile => /[0-9]/.test(tile.textContent))"""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="ht-bench-") as folder:
        data = Path(folder)
        _start(data)[0].end()
        demo, second = _start(data)
        try:
            yield Figure(
                "demo, second start to the first frame",
                f"{second:.1f} s",
                "kernels compiled",
                "`manage.py demo`",
            )
            stack = Stack(demo)
            yield from _page_figures(stack)
            yield _lag_figure(stack)
            yield from recovery.figures(stack)
        finally:
            demo.end()


def section() -> list[str]:
    return told_section(figures())


def _start(data: Path) -> tuple[DemoProcess, float]:
    began = time.monotonic()
    demo = DemoProcess(data)
    demo.wait_ready()
    return demo, time.monotonic() - began


def _page_figures(stack: Stack) -> Iterator[Figure]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        times = [
            _open_page(browser.new_page(viewport={"width": 1440, "height": 900}), stack) for _ in range(PAGES)
        ]
        browser.close()
    yield Figure(
        "open page to first live values",
        f"{np.median(times):.2f} s median, {max(times):.2f} s at most",
        f"{PAGES} fresh browser contexts, software rendering",
        "click on the machine until the badge says synced and the tiles show numbers",
    )


def _open_page(page: Page, stack: Stack) -> float:
    page.goto(stack.url)
    page.get_by_label("Username").fill("manager")
    page.get_by_label("Password").fill(stack.logins["manager"])
    page.get_by_role("button", name="Sign in").click()
    link = page.get_by_role("link", name="Laboratory rig")
    link.wait_for()
    began = time.monotonic()
    link.click()
    page.wait_for_function(VALUES_SHOWN, polling="raf")
    seconds = time.monotonic() - began
    page.close()
    return seconds


def _lag_figure(stack: Stack) -> Figure:
    """From the machine's clock to the published frame, beyond the delay that every twin keeps."""
    lags = []
    with stack.client.pubsub() as subscription:
        subscription.subscribe(keys.live(stack.machine))
        end = time.monotonic() + LISTEN_S
        while time.monotonic() < end:
            message = subscription.get_message(ignore_subscribe_messages=True, timeout=1.0)
            if message:
                frame = frames.decode(message["data"])
                lags.append((time.time_ns() // 1000 - frame.t - TELEMETRY_DELAY_US) / 1000)
    p50, p99 = np.percentile(lags, [50, 99])
    return Figure(
        "frame lag beyond the fixed delay of 150 ms",
        f"{p50:.0f} ms median, {p99:.0f} ms p99",
        f"{len(lags) / LISTEN_S:.1f} frames per second over {LISTEN_S:.0f} s",
        "machine clock to subscriber, one twin",
    )


if __name__ == "__main__":
    tell(figures())
