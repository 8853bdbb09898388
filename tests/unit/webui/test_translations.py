"""No text without its translation: what is written and what the catalogues hold is the same, part by part."""

import re
from collections import Counter
from typing import Any

import polib
import pytest
from django.conf import settings
from django.utils import translation

from tools.translations.catalogues import DOMAINS, languages, read
from tools.translations.extract import FOUND
from tools.translations.found import Text
from webui.words import named, with_separator

PARTS = re.compile(r"%\(\w+\)[-+.0-9]*[a-z]|%%|%[sd]|\{\w+\}|<[^>]+>")  # to be filled in, and marks of HTML
NEEDED = [(language, domain) for language in languages() for domain in DOMAINS]


@pytest.fixture(scope="module")
def found() -> dict[str, dict[tuple[str | None, str], Text]]:
    return {domain: find() for domain, find in FOUND.items()}


def test_there_is_a_catalogue_for_every_language_but_the_one_of_the_source() -> None:
    assert {settings.LANGUAGE_CODE, *languages()} == {code for code, _ in settings.LANGUAGES}


@pytest.mark.parametrize(("language", "domain"), NEEDED)
def test_every_text_has_an_entry_and_every_entry_a_text(language: str, domain: str, found: Any) -> None:
    kept = {(entry.msgctxt, entry.msgid): entry.msgid_plural for entry in read(language, domain)}
    written = {key: text.plural for key, text in found[domain].items()}
    advice = "run: .venv/bin/python -m tools.translations extract"
    assert written.keys() - kept.keys() == set(), f"not in the catalogue; {advice}"
    assert kept.keys() - written.keys() == set(), f"no longer written anywhere; {advice}"
    assert kept == written


@pytest.mark.parametrize(("language", "domain"), NEEDED)
def test_every_entry_is_translated_with_the_same_parts(language: str, domain: str) -> None:
    entries = read(language, domain)
    assert [entry.msgid for entry in entries if not entry.translated() or entry.fuzzy] == []
    for entry in entries:
        english = [entry.msgid, entry.msgid_plural or entry.msgid]
        own = [entry.msgstr_plural[0], entry.msgstr_plural[1]] if entry.msgid_plural else [entry.msgstr] * 2
        for asked, told in zip(english, own, strict=True):
            assert Counter(PARTS.findall(told)) == Counter(PARTS.findall(asked)), entry.msgid
            assert told == told.strip(), entry.msgid


def test_a_part_that_is_missing_or_unused_is_noticed() -> None:
    """The tests above would also pass if nothing were ever found."""
    assert sum(len(find()) for name, find in FOUND.items() if name != "machines") > 700
    entry = polib.POEntry(msgid="%(n)d views of {name}", msgstr="{name}")
    assert PARTS.findall(entry.msgid) != PARTS.findall(entry.msgstr)


def test_a_name_or_a_number_is_written_as_the_reader_writes_it() -> None:
    with translation.override("fi"):
        assert named("hose") == "letku"
        assert named("") == ""
        assert named("Out of cheese") == "Out of cheese"
        assert with_separator("0.50") == "0,50"
    assert with_separator("0.50") == "0.50"
