"""Imports point one way: simcore <- twin <- workers | webui; the emulator knows the platform by HTTP only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

# what each package must not import, with everything below it
FORBIDDEN = {
    "simcore": {"django", "channels", "celery", "redis", "valkey", "twin", "workers", "webui"},
    "twin": {"celery", "channels", "ninja", "uvicorn", "httpx", "workers", "webui"},
    "workers": {"webui", "channels"},
    "webui": {"workers", "celery"},
}
# reading descriptions in a web process must not pay for the compiler
NO_COMPILER = {"numba", "scipy"}


def modules_of(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py"))


def imported_names(file: Path) -> Iterator[tuple[int, str]]:
    """Every absolute module name that a file imports, at any depth of nesting, with its line."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: relative import; name the package"
            assert node.module is not None
            yield node.lineno, node.module


def offences(files: list[Path], forbidden: set[str]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{line} imports {name}"
        for file in files
        for line, name in imported_names(file)
        if name.split(".")[0] in forbidden
    ]


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    files = modules_of(ROOT / package)
    assert files, f"no modules in {package}"
    assert offences(files, FORBIDDEN[package]) == []


def test_the_emulator_knows_the_platform_by_its_public_interface_only() -> None:
    files = modules_of(ROOT / "workers" / "emulator")
    assert files
    files.append(ROOT / "workers" / "shutdown.py")  # held to the same, so the emulator may use it
    strangers = [
        f"{file.name}:{line} imports {name}"
        for file in files
        for line, name in imported_names(file)
        if name.split(".")[0] in {"twin", "django", "redis", "webui", "celery"}
        or (name.startswith("workers") and not name.startswith(("workers.emulator", "workers.shutdown")))
    ]
    assert strangers == []


@pytest.mark.parametrize("room", ["model", "cases"])
def test_descriptions_import_without_the_compiler(room: str) -> None:
    files = modules_of(ROOT / "simcore" / room)
    assert files
    assert offences(files, NO_COMPILER) == []


# the rooms of simcore from the bottom up: each imports only those before it
LAYERS = (
    ("messages",),
    ("errors",),
    ("model",),
    ("kernels",),
    ("algebra",),
    ("friction", "soil", "powertrain"),
    ("multibody",),
    ("hydraulics",),
    ("formulation",),
    ("integrate",),
    ("energy",),
    ("run",),
    ("operate",),
    ("estimate",),
    ("cases", "machines"),
    ("registry",),
    ("warm", "cli"),
    ("__main__",),
)


def test_every_room_of_simcore_imports_only_those_below_it() -> None:
    height = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
    rooms = {path.stem for path in (ROOT / "simcore").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__"} == height.keys()
    upward = []
    for file in modules_of(ROOT / "simcore"):
        here = file.relative_to(ROOT / "simcore").with_suffix("").parts[0]
        for line, name in imported_names(file):
            there = name.split(".")[1:2]
            if here == "__init__" or name.split(".")[0] != "simcore" or not there or there[0] == here:
                continue
            if height[there[0]] >= height[here]:
                upward.append(f"{file.relative_to(ROOT)}:{line} imports {name}")
    assert upward == []


def test_tables_and_figures_are_made_in_two_places_only() -> None:
    allowed = {ROOT / "simcore" / "run" / "report.py", *modules_of(ROOT / "simcore" / "cli")}
    files = [file for file in modules_of(ROOT / "simcore") if file not in allowed]
    assert offences(files, {"pandas", "plotly"}) == []


def test_an_upward_import_would_be_found(tmp_path: Path) -> None:
    source = tmp_path / "imagined.py"
    source.write_text("def late():\n    from django.db import models\n")
    assert list(imported_names(source)) == [(2, "django.db")]
