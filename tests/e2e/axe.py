"""axe on a page as it stands: what keeps people from using it."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[2] / "webui" / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")


def grave_findings(page: Page) -> list[str]:
    """Rule, help and the first elements of each serious or critical finding."""
    page.evaluate(SCRIPT.read_text())  # by the debugger: the page's policy allows no foreign script
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
    )
    return [
        f"{each['id']}: {each['help']} ({'; '.join(node['html'][:160] for node in each['nodes'][:3])})"
        for each in found
        if each["impact"] in GRAVE
    ]
