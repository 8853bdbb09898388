"""The 3D stage of the excavator: time per picture, rate of pictures, and what its loop allocates.

python -m tests.bench.stage    these figures alone, printed

Only the browser is measured: no service runs, and the page gets frames of a digging excavator that were
computed before, 20 per second. The graphics is software rendering, so the rate of pictures and the time until
a picture is finished are those of the processor; script is the same with a graphics card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from tests.bench.figures import Figure, tell, told_section
from tests.e2e.conftest import launch
from tests.e2e.lone_page import APART, EVERY_S, FRAMES, LOOP, LonePage

# software draws a small picture more often
SMALL = {"width": 420, "height": 700}
SETTLE_S = FRAMES * EVERY_S + 2.0  # once through all movements: after it, no pose is new to the camera
MEASURE_S = 10.0
COMPILED = 20_000  # pictures of a hurried screen: six minutes of a real one
MANY = 5_000


def figures() -> Iterator[Figure]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield from _times(browser.new_page(viewport=SMALL))
        browser.close()
        browser = launch(playwright, APART)
        yield from _allocation(browser.new_page(viewport=SMALL))
        browser.close()


def section() -> list[str]:
    return told_section(figures())


def _times(page: Page) -> Iterator[Figure]:
    lone = LonePage(page)
    lone.work(SETTLE_S)
    size = page.locator(".stage-view canvas").evaluate(
        "canvas => `${canvas.width} x ${canvas.height} pixels`"
    )
    undisturbed = lone.picture_times(MEASURE_S, "script")
    finished = lone.picture_times(MEASURE_S, "pixels")
    yield _spread(
        "3D stage of the excavator, script until a picture is handed to the graphics",
        undisturbed[:, 1],
        f"pose, camera, {lone.draw_calls} draw calls; {size}",
    )
    yield _spread(
        "the same, time between two pictures",
        np.diff(undisturbed[:, 0]),
        "software rendering: a slow stage leaves the page two thirds of the time",
    )
    yield _spread(
        "the same, time until a picture is finished",
        finished[:, 2],
        "script, and the wait for one pixel of the picture; software rendering",
    )
    yield _script(lone)


def _spread(what: str, times_ms: np.ndarray, how: str) -> Figure:
    low, high = np.median(times_ms), np.percentile(times_ms, 95)
    return Figure(what, f"{low:.2f} ms", f"median of {len(times_ms)}; 95 % within {high:.2f} ms", how)


def _script(lone: LonePage) -> Figure:
    profile, pictures = lone.profile(MEASURE_S)
    return Figure(
        "the same, script per picture with its labels",
        f"{_spent_ms(profile, LOOP) / pictures:.2f} ms",
        f"mean of {pictures} pictures in {MEASURE_S:.0f} s, CPU profile each 0.1 ms, software rendering",
        "kinematics, cylinders, camera, calls of the graphics, labels",
    )


def _allocation(page: Page) -> Iterator[Figure]:
    lone = LonePage(page)
    lone.work(SETTLE_S)
    yield _allocated(lone, "the same, allocated per picture")
    page.get_by_role("button", name="Follow").click()
    yield _allocated(lone, "the same while the camera follows the bucket, with all labels in every picture")


def _allocated(lone: LonePage, what: str) -> Figure:
    lone.hurry(COMPILED, patience_s=300)
    return Figure(
        what,
        f"{lone.allocated(MANY, patience_s=100):.1f} B",
        f"{MANY} pictures after {COMPILED}, drawn to nowhere; heap sampling each 128 B, freed or not",
        "what the page's loop for the stage allocates, no function compiled into another",
    )


def _spent_ms(profile: dict[str, Any], name: str) -> float:
    inside = _below(profile["nodes"], name)
    steps = zip(profile["samples"], profile["timeDeltas"], strict=True)
    return sum(dt for node, dt in steps if node in inside) / 1e3


def _below(nodes: list[dict[str, Any]], name: str) -> set[int]:
    """Ids of the nodes of that name and of all that they called."""
    children = {node["id"]: node.get("children", []) for node in nodes}
    todo = [node["id"] for node in nodes if node["callFrame"]["functionName"] == name]
    found: set[int] = set()
    while todo:
        node = todo.pop()
        found.add(node)
        todo += children[node]
    return found


if __name__ == "__main__":
    tell(figures())
