"""What axe finds on a page; only what is serious or worse."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

_AXE = Path(__file__).resolve().parents[2] / "webui" / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = "() => axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"


def serious_findings(page: Page) -> list[str]:
    """One line each: the rule, and the first element that breaks it."""
    page.evaluate(_AXE.read_text())  # through the debugger: the page's policy lets in no other script
    found: list[dict[str, Any]] = page.evaluate(_RUN)
    return [
        f"{each['id']}: {each['help']} at {each['nodes'][0]['target']}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
