"""Reads and writes catalogues: the texts that people translate, and the files for Django and the browser."""

import json
import os
from pathlib import Path
from typing import Any

import polib

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "locale"
STATIC = ROOT / "webui" / "static" / "words"
DOMAINS = ("django", "machines", "djangojs")
ENGLISH = "en"  # the language of the source


def languages() -> list[str]:
    return sorted(path.name for path in LOCALE.iterdir() if path.is_dir())


def path_of(language: str, domain: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str) -> polib.POFile:
    return polib.pofile(str(path_of(language, domain)), wrapwidth=110)


def compile_all() -> None:
    for language in languages():
        pages = read(language, "django")
        pages.extend(read(language, "machines"))
        folder = path_of(language, "django").parent
        _write(folder / "django.mo", pages.to_binary())
    for language in (ENGLISH, *languages()):
        _write(STATIC / f"{language}.js", script(language).encode())


def script(language: str) -> str:
    """A script that provides the browser's translations to webui/frontend/src/words.ts."""
    text = json.dumps(catalogue(language), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return f"globalThis.hydratwinWords={text};\n"


def catalogue(language: str) -> dict[str, Any]:
    """The browser's catalogue. words: translations of script texts, none in English. messages: by code."""
    from twin.messages import TEMPLATES
    from webui.words import MESSAGE

    words: dict[str, Any] = {}
    own: dict[str, str] = {}
    if language != ENGLISH:
        words = {e.msgid: _translation(e) for e in read(language, "djangojs") if e.translated()}
        said = (e for e in read(language, "machines") if e.msgctxt == MESSAGE and e.translated())
        own = {e.msgid: e.msgstr for e in said}
    messages: dict[str, Any] = {}
    for code, template in TEMPLATES.items():
        texts = [own.get(text, text) for text in (template.text, template.one) if text]
        messages[code] = [dict(template.kinds), *texts]
    return {"words": words, "messages": messages}


def _translation(entry: polib.POEntry) -> str | list[str]:
    return [entry.msgstr_plural[0], entry.msgstr_plural[1]] if entry.msgid_plural else entry.msgstr


def _write(path: Path, content: bytes) -> None:
    """Write a file in one step, because several processes may compile and read at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)
