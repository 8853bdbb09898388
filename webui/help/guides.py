"""Renders the guides in docs/ as pages, so that repository and product share one text."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS: Path = settings.BASE_DIR / "docs"
# name in the address: file; the first four are for the personas, in the order of the help page
FILES = {
    "fleet-manager": DOCS / "guide" / "fleet-manager.md",
    "customer": DOCS / "guide" / "customer.md",
    "maintenance": DOCS / "guide" / "maintenance.md",
    "engineer": DOCS / "guide" / "engineer.md",
    "connect-a-device": DOCS / "connect-a-device.md",
}


@dataclass(frozen=True)
class Guide:
    name: str
    title: str
    lead: str  # the first sentence
    html: str
    language: str


@lru_cache(maxsize=len(FILES) * len(settings.LANGUAGES))
def guide(name: str, language: str = settings.LANGUAGE_CODE) -> Guide | None:
    """Return the guide of that name as HTML, or None. Raw HTML in a guide is shown as text.

    A guide that has no translation is shown in English.
    """
    path = FILES.get(name)
    if path is None:
        return None
    translated = DOCS / "guide" / language / f"{name}.md"
    path, language = (translated, language) if translated.is_file() else (path, settings.LANGUAGE_CODE)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title, lead = _inline(tokens, "heading_open"), _inline(tokens, "paragraph_open").partition(". ")[0]
    for token in tokens:
        if token.type == "code_block":  # may be wider than a phone: lets the keyboard scroll it
            token.attrSet("tabindex", "0")
        for child in token.children or ():
            _relink(child)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return Guide(name, title, lead.rstrip(".") + ".", html, language)


def _inline(tokens: list[Token], kind: str) -> str:
    """Return the text of the first block of this type, without markup."""
    for token, content in pairwise(tokens):
        if token.type == kind:
            return "".join(child.content or " " for child in content.children or () if not child.nesting)
    return ""


def _relink(token: Token) -> None:
    """Change links to pictures and other guides to their addresses in the product."""
    if token.type == "image":
        token.attrs["src"] = static(f"guide/{Path(str(token.attrs['src'])).name}")
        token.attrs["loading"] = "lazy"
    elif token.type == "link_open":
        token.attrs["href"] = _address(str(token.attrs["href"]))


def _address(href: str) -> str:
    target: Any = Path(href.partition("#")[0])
    if target.suffix != ".md":
        return href
    return reverse("help:guide", args=[target.stem]) if target.stem in FILES else reverse("help:index")
