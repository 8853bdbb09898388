"""Adds new texts from the sources to the catalogues, with an empty translation, and removes unused texts."""

from collections.abc import Mapping

import polib

from tools.translations.catalogues import languages, path_of, read
from tools.translations.found import Text, in_pages, in_scripts
from tools.translations.machines import in_machines

Key = tuple[str | None, str]
FOUND = {"django": in_pages, "machines": in_machines, "djangojs": in_scripts}


def extract() -> None:
    for domain, find in FOUND.items():
        texts = find()
        for language in languages():
            path = path_of(language, domain)
            before = read(language, domain) if path.exists() else _empty(language)
            updated(before, texts).save(str(path))


def updated(before: polib.POFile, texts: Mapping[Key, Text]) -> polib.POFile:
    """Catalogue of the present texts with existing translations, sorted by source file."""
    known = {(entry.msgctxt, entry.msgid): entry for entry in before}
    after = polib.POFile(wrapwidth=before.wrapwidth)
    after.metadata = before.metadata
    for key, text in sorted(texts.items(), key=lambda item: (item[1].where, item[0][1])):
        after.append(_entry(text, known.get(key)))
    return after


def _entry(text: Text, known: polib.POEntry | None) -> polib.POEntry:
    entry = polib.POEntry(
        msgid=text.msgid, msgid_plural=text.plural, msgctxt=text.context, occurrences=[(text.where, "")]
    )
    if text.plural:
        entry.msgstr_plural = dict(known.msgstr_plural) if known else {0: "", 1: ""}
    else:
        entry.msgstr = known.msgstr if known else ""
    return entry


def _empty(language: str) -> polib.POFile:
    fresh = polib.POFile(wrapwidth=110)
    fresh.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": language,
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    return fresh
