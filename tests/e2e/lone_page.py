"""The machine page of an excavator without any service: frames that were computed beforehand, 20 a second.

What is measured on it is the browser alone. Its screen can be hurried: then animation frames come as fast as
the script is, and the graphics draws nothing. So what a browser compiles within minutes is compiled within
seconds, and there are thousands of pictures to take a mean of.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import django
import msgspec
import numpy as np
from django.template.loader import render_to_string
from django.test.utils import override_settings
from playwright.sync_api import Page, WebSocketRoute

from simcore.model import Machine as Description
from simcore.model import channel_table
from simcore.run.simulation import Simulation
from twin.fleet.catalogue import build
from twin.runtime import frames

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
django.setup()

from twin.fleet.models import Machine, Organisation  # noqa: E402  needs the settings
from webui.machine.views import page_context  # noqa: E402

SITE = "http://127.0.0.1:9"  # nothing listens there: the browser is answered from here
STATIC = Path(__file__).resolve().parents[2] / "webui" / "static"
# only an isolated page has a clock finer than 0.1 ms
FINE_CLOCK = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
FRAMES, EVERY_S = 400, 0.05
DELAY_US = 150_000
LOOP = "drawPose"  # what the page does for the stage in every animation frame
# Functions are not compiled into their callers, or the heap profiler would count what they allocate there.
# This may put more numbers into boxes on their way from one to the other, never fewer.
APART = "--js-flags=--no-turbo-inlining --no-maglev-inlining"
# A picture is an animation frame in which the page made a draw call. Unless pictures are timed, nothing here
# allocates while the loop runs: it would be counted as the loop's.
SCREEN = """
window.pictures = 0;
window.hurried = false;
window.timed = "no"; // or "script": script alone; "pixels": also waits until the picture can be read
// for each picture, ms: its start, script up to its last draw call, time until it can be read
window.pictureTimes = [];
let calls = 0;
let lastCall = 0;
let graphics = null;
for (const name of ["drawArrays", "drawElements"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (a, b, c, d) {
    calls += 1;
    if (!window.hurried) draw.call(this, a, b, c, d);
    if (window.timed !== "no") {
      lastCall = performance.now();
      graphics = this;
    }
  };
}
const pixel = new Uint8Array(4);
const note = (began) => {
  const ended = performance.now();
  const { RGBA, UNSIGNED_BYTE } = graphics;
  if (window.timed === "pixels") graphics.readPixels(0, 0, 1, 1, RGBA, UNSIGNED_BYTE, pixel);
  const script = lastCall - began;
  window.pictureTimes.push([began, script, script + performance.now() - ended]);
};
const run = (work, now) => {
  calls = 0;
  const began = window.timed === "no" ? 0 : performance.now();
  work(now);
  if (calls === 0) return;
  window.pictures += 1;
  window.calls = calls;
  if (window.timed !== "no") note(began);
};
const next = window.requestAnimationFrame.bind(window);
const waiting = [];
const ticks = new MessageChannel();
let held = false;
ticks.port1.onmessage = () => {
  if (!held && waiting.length > 0) run(waiting.shift(), performance.now());
};
window.hold = (still) => {
  held = still;
  if (!held) for (let k = 0; k < waiting.length; k++) ticks.port2.postMessage(0);
  return window.pictures;
};
window.requestAnimationFrame = (work) => {
  if (!window.hurried) return next((now) => run(work, now));
  ticks.port2.postMessage(0);
  return waiting.push(work);
};
"""


class LonePage:
    """A page that shows a working excavator, its movements again and again."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._socket: WebSocketRoute | None = None
        self._machine = build("excavator", {})
        self._values = cycle(_work(self._machine))
        self._seq = 0
        self._session = page.context.new_cdp_session(page)
        html = _html()
        page.add_init_script(SCREEN)
        page.route_web_socket("**/ws/machines/**", self._open)
        page.route(
            f"{SITE}/**", lambda route: route.fulfill(body=html, content_type="text/html", headers=FINE_CLOCK)
        )
        page.route(
            f"{SITE}/static/**",
            lambda route: route.fulfill(path=STATIC / route.request.url.removeprefix(f"{SITE}/static/")),
        )
        page.goto(f"{SITE}/machine/")

    @property
    def pictures(self) -> int:
        return int(self._page.evaluate("window.pictures"))

    def hurry(self, pictures: int, patience_s: float) -> None:
        """Hurries the screen from now on, until so many pictures were drawn."""
        self._page.evaluate("window.hurried = true")
        self.work_until_drawn(pictures, patience_s)

    def work(self, seconds: float) -> None:
        """Send frames in time with the clock."""
        for _ in self._working(seconds):
            pass

    def work_until_drawn(self, pictures: int, patience_s: float) -> None:
        """Send frames until so many pictures were drawn from now on."""
        enough = self.pictures + pictures
        for _ in self._working(patience_s):
            if self.pictures >= enough:
                return
        raise TimeoutError(f"{self.pictures - enough + pictures} of {pictures} pictures in {patience_s} s")

    def profile(self, seconds: float) -> tuple[dict[str, Any], int]:
        """Where the processor was while the machine worked, looked at each 0.1 ms, and the pictures drawn."""
        self._session.send("Profiler.enable")
        self._session.send("Profiler.setSamplingInterval", {"interval": 100})
        before = self.pictures
        self._session.send("Profiler.start")
        self.work(seconds)
        profile = self._session.send("Profiler.stop")["profile"]
        return profile, self.pictures - before

    def picture_times(self, seconds: float, until: Literal["script", "pixels"]) -> np.ndarray:
        """One row per picture, ms: its start, script up to its last draw call, time until it can be read.

        "script" leaves the third column as the second and does not disturb the rate of pictures.
        """
        self._page.evaluate("until => { window.timed = until; window.pictureTimes = []; }", until)
        self.work(seconds)
        return np.array(self._page.evaluate("() => { window.timed = 'no'; return window.pictureTimes; }"))

    @property
    def draw_calls(self) -> int:
        """Draw calls of the last picture."""
        return int(self._page.evaluate("window.calls"))

    def allocated(self, pictures: int, patience_s: float) -> float:
        """Bytes that a picture allocates, also those that are free again: a mean of many, once hurried.

        The screen is held while the profiler starts and stops: on a busy computer thousands of pictures would
        pass meanwhile, counted as pictures and not as bytes.
        """
        wanted = {"includeObjectsCollectedByMajorGC": True, "includeObjectsCollectedByMinorGC": True}
        self._session.send("HeapProfiler.enable")
        before = self._hold(True)
        self._session.send("HeapProfiler.startSampling", {"samplingInterval": 128, **wanted})
        self._hold(False)
        self.work_until_drawn(pictures, patience_s)
        after = self._hold(True)
        head = self._session.send("HeapProfiler.stopSampling")["profile"]["head"]
        self._hold(False)
        return _bytes_by(head, LOOP) / (after - before)

    def _hold(self, still: bool) -> int:
        """Hold the hurried screen still, or let it go on; how many pictures were drawn up to now."""
        return int(self._page.evaluate("still => window.hold(still)", still))

    def _working(self, seconds: float) -> Iterator[None]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            due = time.monotonic() + EVERY_S
            if self._socket is not None:
                self._socket.send(self._frame(next(self._values)))
            self._page.wait_for_timeout(max(1.0, 1e3 * (due - time.monotonic())))
            yield

    def _open(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        channels = [
            {"name": c.name, "label": c.label, "unit": c.unit, "quantity": c.quantity, "role": c.role}
            for c in channel_table(self._machine)
        ]
        hello = {"type": "hello", "channels": channels, "server_us": _now_us(), "delay_us": DELAY_US}
        socket.send(msgspec.msgpack.encode(hello))
        socket.send(msgspec.msgpack.encode({"type": "trail", "frames": []}))

    def _frame(self, values: np.ndarray) -> bytes:
        self._seq += 1
        now = _now_us()
        packed = frames.pack(values, 0.01 * np.abs(values), np.full_like(values, np.nan))
        return frames.encode(
            frames.Frame(
                machine="", epoch=1, seq=self._seq, t=now - DELAY_US, ts=now, t_sample=now - DELAY_US,
                received=now - 20_000, status="synced", reason="", load=0.05, lag_us=15_000,
                **{name: getattr(packed, name) for name in packed.__struct_fields__},
            )
        )  # fmt: skip


def _bytes_by(node: dict[str, Any], name: str, inside: bool = False) -> int:
    """Bytes allocated by functions of that name and all that they called."""
    inside = inside or node["callFrame"]["functionName"] == name
    own = int(node["selfSize"]) if inside else 0
    return own + sum(_bytes_by(child, name, inside) for child in node["children"])


def _html() -> str:
    """The page as the server renders it, without the server: nothing else shall need the processor."""
    machine = Machine(name="Excavator", model="excavator", organisation=Organisation(name="Bench"))
    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(STORAGES=plain):
        return render_to_string("machine/machine.html", page_context(machine) | {"words": "words/en.js"})


def _work(machine: Description) -> list[np.ndarray]:
    """Levers to and fro: everything moves."""
    sim = Simulation(machine, 1e-3)
    names = [c.name for c in channel_table(machine)]
    found = []
    for k in range(FRAMES):
        wave = 2 * math.pi * k / FRAMES
        levers = {"swing": 3.0, "boom": 2.0, "dipper": -3.0, "bucket": 4.0}
        given = {f"{name}.command": size * math.sin(2 * wave) for name, size in levers.items()}
        sim.advance(round(EVERY_S / sim.dt), given)
        now = sim.outputs()
        found.append(np.array([now[name] for name in names]))
    return found


def _now_us() -> int:
    return time.time_ns() // 1000
