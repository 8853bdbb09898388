"""The files and folders that documents name do exist: in links, and as paths in backticks."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/glossary.md", "docs/architecture.md")
PAGES = ("docs/methods/*.md", "docs/decisions/*.md", "docs/references.md")  # some of them name no file
MADE_BY_COMMANDS = (".venv", "var", "node_modules")  # not part of the repository

LINK = re.compile(r"\]\(([^)\s]+)\)|\bsrc=\"([^\"]+)\"")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.<>*-]+(?:/[\w.<>*-]+)*/?")  # <x> and * stand for any name
ENDINGS = (
    *(".py", ".lua", ".ts", ".mjs", ".js", ".css", ".html"),
    *(".md", ".txt", ".po", ".png", ".svg", ".json", ".toml", ".yaml", ".conf"),
)


def links(text: str) -> Iterator[str]:
    """Targets of links and pictures within the repository, without the heading they lead to."""
    for found in LINK.finditer(text):
        target = (found[1] or found[2]).partition("#")[0]
        if target and "://" not in target and not target.startswith(("/", "mailto:")):
            yield target


def looks_like_a_path(word: str) -> bool:
    """A folder with its slash, a file with a known ending, or anything in a folder of the repository."""
    first, slash, _ = word.partition("/")
    if not PATH.fullmatch(word) or first in MADE_BY_COMMANDS:
        return False
    in_repository = bool(slash) and (ROOT / first).is_dir()
    return in_repository or word.endswith("/") or word.endswith(ENDINGS) or word == "Makefile"


def paths(line: str) -> Iterator[str]:
    """Paths among the words in backticks, without a line number or the name of a test."""
    words = (word.partition(":")[0] for code in CODE.findall(line) for word in code.split())
    return (word for word in words if looks_like_a_path(word))


def missing(text: str, folder: Path) -> list[str]:
    """What a document in this folder names and the repository does not have.

    A path starts at the root, or in a folder that the same line has named before: "`tests/`: `laws/`".
    """
    gone = [target for target in links(text) if not (folder / target).exists()]
    for line in text.splitlines():
        starts = [ROOT]
        for path in paths(line):
            pattern = re.sub(r"<\w+>", "*", path)
            found = next((place for start in starts for place in start.glob(pattern)), None)
            if found is None:
                gone.append(path)
            else:
                starts.append(found if found.is_dir() else found.parent)
    return gone


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_a_document_names_exists(document: str) -> None:
    file = ROOT / document
    text = file.read_text()
    named = [*links(text), *(path for line in text.splitlines() for path in paths(line))]
    assert len(named) > 3
    assert missing(text, file.parent) == []


def test_every_file_that_methods_and_decisions_name_exists() -> None:
    pages = [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))]
    texts = {page: page.read_text() for page in pages}
    named = [path for text in texts.values() for line in text.splitlines() for path in paths(line)]
    assert len(pages) > 30
    assert len(named) > 60
    gone = {page.name: missing(text, page.parent) for page, text in texts.items()}
    assert {name: files for name, files in gone.items() if files} == {}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("see `simcore/model/no_such_plan.py`", "simcore/model/no_such_plan.py"),
        ("see `simcore/no_such_room/`", "simcore/no_such_room/"),
        ("see `simcore/no_such_room`", "simcore/no_such_room"),
        ("see `no_such_package/plan.py`", "no_such_package/plan.py"),
        ("run `python3 tools/no_such_tool.py peers`", "tools/no_such_tool.py"),
        ("`docs/no_such_folder/<language>/`", "docs/no_such_folder/<language>/"),
        ("`simcore/`: `laws/` is elsewhere", "laws/"),
        ("`tests/` on one line,\n`laws/` on the next", "laws/"),
        ("`simcore/no_such_file.py:12`", "simcore/no_such_file.py"),
        ("[guide](no-such-guide.md#top)", "no-such-guide.md"),
        ('<img src="images/no-such-picture.png">', "images/no-such-picture.png"),
    ],
)
def test_a_wrong_path_is_noticed(text: str, gone: str) -> None:
    assert missing(text, ROOT / "docs") == [gone]


@pytest.mark.parametrize(
    "text",
    [
        "`simcore/registry.py`, `README.md`, `Makefile`, `tests/unit/house/test_prose.py::test_name`",
        "`tests/`: `laws/`, `unit/`",
        "`simcore/model/plan.py` and `compiler.py`",
        "`docs/guide/<language>/`, `docs/decisions/*.md`",
        "`.venv/bin/python`, `var/demo/run.json`: made by commands",
        "`V/B_e`, `/api/docs`, `m/s`, `https://example.org/x.md`, `a + b`, `~/.cache/x`",
        "[references](references.md#top), [elsewhere](https://example.org/x.md), [here](#here)",
    ],
)
def test_existing_files_and_other_code_pass(text: str) -> None:
    assert missing(text, ROOT / "docs") == []
