"""The fleet page with a hundred machines: how soon it can be used, and how much it fetches before it can.

python -m tests.bench.fleet    these figures alone, printed
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from simcore import registry
from tests.bench.figures import Figure, told_section
from tests.conftest import ROOT, ValkeyServer, _healthy, _manage
from tests.e2e.conftest import launch
from tests.recorded_fleet import DISHONEST, STUCK, Recorded, kept_young
from tests.system.stack import ENVIRONMENT
from tests.waiting import PATIENCE_S, wait_for
from workers.demo.ports import free_ports

MACHINES = 100
PAGES = 7
MODELS = tuple(name for name, profile in registry.profiles().items() if profile.offered)
PASSWORD = "benchmark of a fleet"  # of a database that lives for a minute
STORY = f"""
import json
from django.contrib.auth.models import User
from django.core.management import call_command
from twin.fleet import services
from twin.fleet.models import Role
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
organisation = services.create_organisation("Bench")
manager = User.objects.create_user("manager", password="{PASSWORD}")
services.add_member(organisation, manager, Role.FLEET_MANAGER)
models = {MODELS!r}
made = [
    services.create_machine(organisation, f"Machine {{k:03}}", models[k % len(models)])
    for k in range({MACHINES})
]
print(json.dumps([[str(machine.pk), machine.model] for machine in made]))
"""
# usable: every row is there, the states are live, and a search answers
USABLE = """() => {
  if (document.querySelectorAll(".row").length < %d) return false;
  if (document.querySelector(".fleet-live")?.dataset.state !== "live") return false;
  return document.querySelectorAll(".row[data-status=synced]").length >= %d;
}"""
FETCHED = """() => performance.getEntriesByType("resource")
  .filter(each => each.initiatorType === "script" || each.name.endsWith(".js"))
  .map(each => [each.decodedBodySize, each.transferSize])"""


def figures() -> Iterator[Figure]:
    folder = tempfile.TemporaryDirectory(prefix="ht-fleet-")
    with folder, _served(Path(folder.name)) as url, sync_playwright() as playwright:
        browser = launch(playwright)
        opened = [_open(browser, url) for _ in range(PAGES)]
        browser.close()
    times = [seconds for seconds, _ in opened]
    yield Figure(
        f"fleet page with {MACHINES} machines, usable",
        f"{np.median(times):.2f} s median, {max(times):.2f} s at most",
        f"{PAGES} fresh browser contexts, nothing cached; at most 1.5 s",
        "from the request until all rows are shown and their states are live over the socket",
    )
    whole, sent = np.sum(opened[0][1], axis=0) / 1000
    yield Figure(
        "script that it fetches",
        f"{whole:.0f} kB, {sent:.0f} kB sent",
        f"{len(opened[0][1])} files; at most 250 kB before 3D",
        "what the browser counted",
    )


def section() -> list[str]:
    return told_section(figures())


@contextmanager
def _served(data: Path) -> Iterator[str]:
    """The web process as in production, a real Valkey, and the machines' last frames kept young."""
    valkey, port = ValkeyServer(data), free_ports(1)[0]
    valkey.start()
    kept = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("HYDRATWIN_")}
    environment = kept | {
        "HYDRATWIN_DATA": str(data),
        "HYDRATWIN_TELEMETRY_URL": valkey.url,
        "HYDRATWIN_TELEMETRY_DIR": str(valkey.directory),
        "HYDRATWIN_BROKER_URL": valkey.url,
        "HYDRATWIN_CHANNELS_URL": valkey.url.removesuffix("0") + "1",
    }
    made = json.loads(_manage(environment, "shell", "--no-imports", "--command", STORY))
    arguments = ["-m", "uvicorn", "webui.asgi:application", "--port", str(port), "--no-access-log"]
    arguments += ["--no-proxy-headers"]
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: _healthy(url), "the web process", 4 * PATIENCE_S)
        with valkey.client() as client, kept_young(client, _recorded(made)):
            yield url
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        valkey.stop()


def _recorded(made: list[list[str]]) -> list[Recorded]:
    """Most do well, a few do not."""
    troubles: dict[int, Any] = {7: STUCK, 23: DISHONEST, 51: STUCK}
    return [
        Recorded(machine, model, 1_000.0 * (k + 1), changes=troubles.get(k, {}))
        for k, (machine, model) in enumerate(made)
    ]


def _open(browser: Browser, url: str) -> tuple[float, list[list[int]]]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{url}/accounts/login/")
    page.get_by_label("Username").fill("manager")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/machines/")
    cookies = context.storage_state()
    context.close()
    context = browser.new_context(viewport={"width": 1440, "height": 900}, storage_state=cookies)
    page = context.new_page()
    page.goto(f"{url}/machines/", wait_until="commit")
    page.wait_for_function(USABLE % (MACHINES, MACHINES), polling="raf")
    seconds = page.evaluate("performance.now()") / 1000  # since the request
    sizes: list[list[int]] = page.evaluate(FETCHED)
    context.close()
    return seconds, sizes


def main() -> None:
    for figure in figures():
        print(f"{figure.what}: {figure.value} ({figure.accuracy}; load {os.getloadavg()[0]:.1f})", flush=True)


if __name__ == "__main__":
    main()
