"""How much script a page fetches before anything of the 3D view, from the bundle as it is built."""

import re
from pathlib import Path

from tools.translations.catalogues import languages, script

DIST = Path(__file__).parents[3] / "webui" / "static" / "dist"
MOST = 250_000  # bytes, not compressed


def fetched(*entries: str) -> dict[str, int]:
    """Every file that entries bring along, directly or through others; late imports are not among them."""
    sizes: dict[str, int] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name not in sizes:
            script = (DIST / name).read_text()
            sizes[name] = len(script.encode())
            waiting += re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', script)
    return sizes


def test_the_fleet_page_needs_little_script_and_nothing_of_the_3d_view() -> None:
    sizes = fetched("theme.js", "app.js", "fleet.js")
    words = max(len(script(language).encode()) for language in languages())
    assert sum(sizes.values()) + words <= MOST, sizes
    scripts = "".join((DIST / name).read_text() for name in sizes)
    assert "gl_Position" not in scripts  # a shader


def test_the_count_follows_imports() -> None:
    """The machine page brings charts along: a count that saw the entries only would miss them."""
    assert len(fetched("machine.js")) > 1
    assert sum(fetched("machine.js").values()) > (DIST / "machine.js").stat().st_size
