"""Texts are in plain English: the test lists phrases that read like a translation, by file.

It reads the interface texts, every other string of more than one word in the code (error messages, log lines,
help of commands), module docstrings, and the documents that users and newcomers read first. It leaves out
comments and the docstrings of functions and classes.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polib
import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("simcore", "twin", "workers", "webui")
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/glossary.md",
    "docs/tutorial.md",
    "docs/connect-*.md",
    "docs/guide/*.md",
)

PHRASES = re.compile(
    r"""\b(?:
        whoever | nobody | anew | told | tells
        | so\s(?:many|much|far|long)
        | the\s(?:seeds|sketch)
        | of\s(?:its|their|his|her)\sown\saccord
        | (?<!\bthere\s)is\sno(?!\s(?:longer|(?:more|less|\w+er)\sthan)\b)  # "is no duplicate": is not a
        | (?-i:CONTRACTS)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)

# file -> passages in which a phrase is used properly; each must still be there
ALLOWED: dict[str, tuple[str, ...]] = {
    "CONTRIBUTING.md": (  # the examples of how not to write
        "So much processor time took the twin so far in machine time.",
        "Whoever acknowledges telemetry syncs the file, so that nobody waits for the disk.",
    ),
}


class Text(NamedTuple):
    """A text that somebody reads."""

    file: str  # from the root of the repository
    line: int  # where it begins; 0: not known
    text: str


def plain(text: str) -> str:
    """The text with single spaces, without the names of values that are put in later."""
    return " ".join(re.sub(r"\{[^{}]*\}|%\(\w+\)\w", "…", text).split())


def phrases_in(text: Text) -> list[str]:
    """Each phrase with its surroundings, passages that are allowed left out."""
    words = plain(text.text)
    for passage in ALLOWED.get(text.file, ()):
        words = words.replace(passage, "…")
    return [
        f"{found[0]!r} in “{words[max(0, found.start() - 50) : found.end() + 50]}”"
        for found in PHRASES.finditer(words)
    ]


def interface_texts() -> Iterator[Text]:
    """What is translated, by the file that says it where the catalogue names one."""
    for catalogue in sorted((ROOT / "locale/fi/LC_MESSAGES").glob("*.po")):
        for entry in polib.pofile(str(catalogue)):
            named = [file for file, _ in entry.occurrences if (ROOT / file).is_file()]
            file = named[0] if named else str(catalogue.relative_to(ROOT))
            yield from (Text(file, 0, text) for text in (entry.msgid, entry.msgid_plural) if text)


def modules() -> list[Path]:
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    return [file for file in files if "node_modules" not in file.parts]


def texts_of_module(name: str, source: str) -> Iterator[Text]:
    """The module's docstring, then its texts of more than one word."""
    tree = ast.parse(source)
    if docstring := ast.get_docstring(tree):
        yield Text(name, 1, docstring)
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    pieces = {
        id(piece) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for piece in node.values
    }
    for node in ast.walk(tree):
        if id(node) in loose:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces:
            text = node.value
        else:
            continue
        if " " in text:
            yield Text(name, node.lineno, text)


def paragraphs(name: str, source: str) -> Iterator[Text]:
    """Paragraphs, table rows and code of a document; names in backticks are left out."""
    line = 1
    for block in re.split(r"(\n\s*\n|\n(?=\|))", source):
        if block.strip():
            yield Text(name, line, re.sub(r"`[^`]*`", "…", block))
        line += block.count("\n")


def documents() -> list[Path]:
    return [file for pattern in DOCUMENTS for file in sorted(ROOT.glob(pattern))]


@cache
def texts() -> list[Text]:
    found = list(interface_texts())
    for file in modules():
        found += texts_of_module(str(file.relative_to(ROOT)), file.read_text())
    for file in documents():
        found += paragraphs(str(file.relative_to(ROOT)), file.read_text())
    return found


def offences() -> list[str]:
    """A line per phrase; a text of the code that is also translated counts once."""
    found = {(text.file, phrase): text.line for text in texts() for phrase in phrases_in(text)}
    return [
        f"{file}:{line}: {phrase}" if line else f"{file}: {phrase}" for (file, phrase), line in found.items()
    ]


def test_texts_are_plain_english() -> None:
    found = sorted(offences())
    assert not found, f"{len(found)} phrases to rewrite:\n" + "\n".join(found)


def test_everything_that_people_read_is_looked_at() -> None:
    seen = {text.file for text in texts()}
    assert len(list(interface_texts())) > 1000
    for package in PACKAGES:
        assert any(file.startswith(f"{package}/") for file in seen), package
    for pattern in DOCUMENTS:
        assert any(Path(file).match(pattern) for file in seen), pattern


def test_every_allowed_passage_is_still_there() -> None:
    gone = [
        (file, passage)
        for file, passages in ALLOWED.items()
        for passage in passages
        if passage not in plain((ROOT / file).read_text())
    ]
    assert gone == []


@pytest.mark.parametrize(
    "text",
    [
        "Whoever opens a page sees it.",
        "pressures that nobody measures",
        "so\n    many steps",
        "So much for now",
        "two readings so far",
        "for so long",
        "the file is written anew",
        "one that restarts is no duplicate",
        "It is no\nprice list.",
        "the device is told",
        "a sample tells angles",
        "the seeds simulate particles",
        "what CONTRACTS call the result",
        "as in the sketch",
        "it ends of its own accord",
    ],
)
def test_a_phrase_is_noticed(text: str) -> None:
    assert len(phrases_in(Text("imagined.py", 1, text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "This invitation is no longer valid.",
        "There is no device 'x'.",
        "the error is no more than 1 %",
        "the step is no larger than 1 ms",
        "draws with several seeds",
        "contracts with customers",
        "also many, and so on",
        "the retold story",
        "{told} %(nobody)s",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert phrases_in(Text("imagined.py", 1, text)) == []


def test_the_texts_of_a_module_are_its_docstring_and_its_messages() -> None:
    source = '''"""What the module does."""

LEVEL = "nobody"


def fail(name: str) -> None:
    """Nobody reads this here."""
    raise ValueError(f"{name or 'no name'} is no "
                     f"input")


log("a line of the log")
'''
    assert list(texts_of_module("imagined.py", source)) == [
        Text("imagined.py", 1, "What the module does."),
        Text("imagined.py", 12, "a line of the log"),
        Text("imagined.py", 8, "{} is no input"),
        Text("imagined.py", 8, "no name"),
    ]


def test_a_paragraph_is_found_at_its_line_without_its_code() -> None:
    source = "# Title\n\nRun `told`,\nthen go on.\n\n| a | b |\n|---|---|\n| c | nobody |\n"
    found = [(text.line, phrases_in(text)) for text in paragraphs("imagined.md", source)]
    assert [line for line, phrases in found if phrases] == [8]
