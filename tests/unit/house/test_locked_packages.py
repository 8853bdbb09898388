"""The locked packages are one coherent set, from nowhere in particular."""

import re
from pathlib import Path

import pytest

LOCKED = Path(__file__).resolve().parents[3] / "requirements"
PIN = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==(\S+)", re.MULTILINE)


def pins(group: str) -> set[tuple[str, str]]:
    return set(PIN.findall((LOCKED / f"{group}.txt").read_text()))


@pytest.mark.parametrize(("less", "more"), [("base", "dev"), ("dev", "peers")])
def test_each_group_adds_to_the_one_before(less: str, more: str) -> None:
    assert pins(less) < pins(more)


@pytest.mark.parametrize("file", sorted(LOCKED.glob("*.txt")), ids=lambda file: file.name)
def test_no_lock_names_a_host(file: Path) -> None:
    text = file.read_text()
    assert "://" not in text
    assert "index-url" not in text
    assert text.count("--hash=") >= text.count("==")
