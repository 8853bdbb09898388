"""No text without its translation: what is written and what the catalogues hold is the same, part by part."""

import re
from collections import Counter
from types import SimpleNamespace
from typing import Any, get_args

import polib
import pytest
from django.conf import settings
from django.utils import translation

from simcore.errors import Diverged
from simcore.estimate.monitor import sensor_monitor
from simcore.estimate.sensors import Sensor, SensorKind
from simcore.model.quantity import assumed
from tools.translations.catalogues import DOMAINS, languages, read
from tools.translations.extract import FOUND
from tools.translations.found import Text
from webui.words import SENTENCES, local, named, pattern_of, sentence

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


def said_by_twins() -> list[str]:
    """Every sentence that the watch can make, and reasons of failures, from where they are made."""
    sensor = Sensor("hose.p", "chamber pressure", "hose.p", 50.0, assumed(2e4, "Pa", ""))
    quiet = {"sigma": 2e4, "reading": 2.63e6, "shift": 3e5, "weight": 1.0, "gated": 0.3, "still": 20.0}
    rows = [
        ("silent", quiet | {"low": 0.0, "high": 0.0, "still_square": 0.0}),
        ("stuck", quiet | {"low": 0.0, "high": 3.2e5, "still_square": 0.0}),
        ("stuck", quiet | {"low": 0.0, "high": 0.0, "still_square": 1e4}),
        ("stuck", quiet | {"low": 0.0, "high": 0.0, "still_square": 0.0}),
        ("biased", quiet),
        ("biased", quiet | {"shift": -3e5}),
        ("outlying", quiet),
    ]
    sentences = [
        sensor_monitor._timed(sensor_monitor._sentence(kind, sensor, row), 1.0)[1] for kind, row in rows
    ]
    lost = sensor_monitor.SensorMonitor._divergence(SimpleNamespace(mean_nis=12.34))
    return [*sentences, sensor_monitor._timed(lost, 1.0)[1], str(Diverged(12.402, "pressure of 'hose'"))]


@pytest.mark.parametrize("text", said_by_twins())
def test_whatever_a_twin_says_is_a_sentence_that_we_know(text: str) -> None:
    assert pattern_of(text, SENTENCES) is not None, text
    with translation.override("fi"):
        told = sentence(text)
    english = {"the", "has", "sensor", "which", "while", "shown", "state", "kept", "pressure"}
    assert english.isdisjoint(re.findall(r"\w+", told.lower())), told
    for number in re.findall(r"\d+\.\d+", text):
        assert number.replace(".", ",") in told


def test_kinds_of_sensors_and_names_within_a_sentence_are_told_too() -> None:
    assert set(get_args(SensorKind)) <= set(SENTENCES)
    stuck = next(text for text in said_by_twins() if "should have changed" in text)
    with translation.override("fi"):
        assert sentence(stuck) == (
            "Anturi 'hose.p' (kammiopaine, hose.p) on näyttänyt samaa lukemaa 26,3 bar,"
            " vaikka sen olisi pitänyt muuttua 3,2 bar."
        )
        assert "paine, 'letku'" in sentence(str(Diverged(1.0, "pressure of 'hose'")))


def test_what_nobody_has_heard_before_stays_as_it_is() -> None:
    with translation.override("fi"):
        assert sentence("Out of cheese at 3.5 bar.") == "Out of cheese at 3,5 bar."
        assert named("") == ""
        assert local("hose.p at 1.2.3 and 0.50") == "hose.p at 1.2.3 and 0,50"
    assert sentence(said_by_twins()[0]) == said_by_twins()[0]
