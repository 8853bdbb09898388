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
    # held to the same, so the emulator may use them
    files += [ROOT / "workers" / "shutdown.py", ROOT / "twin" / "log_on_change.py"]
    neutral = {"twin.log_on_change"}
    strangers = [
        f"{file.name}:{line} imports {name}"
        for file in files
        for line, name in imported_names(file)
        if (name.split(".")[0] in {"twin", "django", "redis", "webui", "celery"} and name not in neutral)
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
    ("friction", "soil", "powertrain", "wear"),
    ("multibody",),
    ("hydraulics",),
    ("formulation",),
    ("integrate",),
    ("energy",),
    ("run",),
    ("operate",),
    ("estimate", "prognosis"),
    ("cases", "machines"),
    ("registry",),
    ("warm", "cli"),
    ("__main__",),
)


# the rooms of simcore.estimate, in the same way
ESTIMATE_LAYERS = (
    ("biases", "sensors", "filter_arrays"),
    ("linearise",),
    ("monitor",),
    ("filter",),
    ("initialise",),
    ("twin",),
    ("experiment",),
)
LAZY = {"simcore.Simulation": "simcore.run", "simcore.Run": "simcore.run"}  # what simcore/__init__.py offers


def imported_modules(file: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, `from package import module` included."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                path = ROOT / name.replace(".", "/")
                is_module = path.with_suffix(".py").is_file() or path.is_dir()
                yield node.lineno, LAZY.get(name, name if is_module else node.module)


def upward_imports(package: str, layers: tuple[tuple[str, ...], ...]) -> list[str]:
    """Imports within a package that point from a room to one beside or above it."""
    folder = ROOT / package.replace(".", "/")
    height = {room: level for level, rooms in enumerate(layers) for room in rooms}
    rooms = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__"} == height.keys()
    found = []
    for file in modules_of(folder):
        here = file.relative_to(folder).with_suffix("").parts[0]
        for line, name in imported_modules(file):
            there = name.removeprefix(f"{package}.").split(".")[0]
            if here == "__init__" or not name.startswith(f"{package}.") or there == here:
                continue
            if height[there] >= height[here]:
                found.append(f"{file.relative_to(ROOT)}:{line} imports {name}")
    return found


def test_every_room_of_simcore_imports_only_those_below_it() -> None:
    assert upward_imports("simcore", LAYERS) == []


def test_every_room_of_the_filter_imports_only_those_below_it() -> None:
    assert upward_imports("simcore.estimate", ESTIMATE_LAYERS) == []


def test_a_module_imported_from_its_package_is_found(tmp_path: Path) -> None:
    source = tmp_path / "imagined.py"
    source.write_text("from simcore import registry, Simulation\nfrom simcore.run import batch\n")
    found = [(1, "simcore.registry"), (1, "simcore.run"), (2, "simcore.run.batch")]
    assert list(imported_modules(source)) == found


def test_tables_and_figures_are_made_in_two_places_only() -> None:
    allowed = {ROOT / "simcore" / "run" / "report.py", *modules_of(ROOT / "simcore" / "cli")}
    files = [file for file in modules_of(ROOT / "simcore") if file not in allowed]
    assert offences(files, {"pandas", "plotly"}) == []


def test_an_upward_import_would_be_found(tmp_path: Path) -> None:
    source = tmp_path / "imagined.py"
    source.write_text("def late():\n    from django.db import models\n")
    assert list(imported_names(source)) == [(2, "django.db")]
