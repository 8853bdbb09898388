"""Every message in every language and unit system, by Python and by the browser's renderer."""

import ast
import dataclasses
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any, get_type_hints

import pytest
from django.utils import translation

from simcore import registry
from simcore.errors import Diverged
from simcore.estimate.monitor.finding import Finding, Health
from simcore.messages import KINDS, QUANTITIES, Message, english
from simcore.model.frictions import laws
from tests.message_examples import EXAMPLES, LABELS, NOW_US, examples
from tools.bootstrap import FRONTEND, node_environment
from tools.translations.catalogues import catalogue, compile_all, read
from twin import messages
from twin.messages import TEMPLATES
from webui.machine.part_names import part_names
from webui.messages import fixed, render
from webui.units import _TABLE, SYSTEMS
from webui.words import MACHINE, named

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", autouse=True)
def compiled() -> Iterator[None]:
    compile_all()
    with translation.override("en"):
        yield


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def rendered(language: str) -> list[dict[str, Any]]:
    """Every example in both unit systems, with what Python makes of it."""
    with translation.override(language):
        return [
            {
                "code": message.code,
                "values": message.values,
                "units": units,
                "text": render(message, units, LABELS, now_us=NOW_US),
            }
            for message in examples()
            for units in SYSTEMS
        ]


def test_every_value_of_a_template_is_declared_with_a_kind_that_can_be_written() -> None:
    for code, template in TEMPLATES.items():
        for text in (template.text, template.one, template.detail, template.quantity):
            assert placeholders(text) <= template.kinds.keys(), code
        assert "time" not in {template.kinds[name] for name in placeholders(template.text)}, code
        assert set(template.kinds.values()) <= KINDS.keys() | QUANTITIES.keys(), code
        assert ("reading" in template.kinds.values()) == ("quantity" in template.kinds), code
    assert EXAMPLES.keys() | {"quantity"} == KINDS.keys()


def test_quantities_are_those_of_the_pages() -> None:
    shown = {
        name: (each["metric"]["factor"], each["metric"]["unit"])
        for name, each in _TABLE["quantities"].items()
    }
    assert shown == QUANTITIES


@pytest.mark.parametrize("language", ["en", "fi"])
def test_every_message_is_written_in_full(language: str) -> None:
    for made in rendered(language):
        if "{braces}" not in str(made["values"]):
            assert not re.search(r"[{}]|None|nan", made["text"]), made
        assert made["text"] == made["text"].strip(), made


def test_nothing_of_an_english_template_is_left_in_finnish() -> None:
    own = catalogue("fi")["messages"]
    for code, (kinds, *texts) in catalogue("en")["messages"].items():
        assert own[code][0] == kinds
        for text, translated in zip(texts, own[code][1:], strict=True):
            assert translated != text, code
            assert placeholders(translated) == placeholders(text), code
            words = set(re.findall(r"[a-z]{2,}", re.sub(r"\{\w+\}", "", text.lower())))
            left = words & set(re.findall(r"\w+", re.sub(r"\{\w+\}", "", translated.lower())))
            assert left == set(), code


def test_messages_as_people_read_them() -> None:
    values: dict[str, Any] = {
        "sensor": "boom.p_B",
        "quantity": "pressure",
        "reading": 4.95e5,
        "change": 1.09e7,
    }
    stuck = Message("sensor.stuck.model", values)
    again = Message("twin.restarted.again", {"times": 3, "since": NOW_US})
    assert english(stuck, LABELS) == "Boom rod pressure sensor stuck at 4.95 bar (expected change 109 bar)"
    assert render(stuck, "metric", LABELS) == (
        "Boom rod pressure sensor stuck at 5.0 bar (expected change 109.0 bar)"
    )
    assert render(stuck, "us", LABELS) == (
        "Boom rod pressure sensor stuck at 72 psi (expected change 1581 psi)"
    )
    assert render(again, "metric", now_us=NOW_US).endswith("(3rd time since 01:52 UTC)")
    assert render(Message("status.excluded", {"count": 1}), "metric") == (
        "Running on estimates: 1 sensor excluded"
    )
    with translation.override("fi"):
        assert render(stuck, "metric", LABELS).endswith(
            ": anturi jumissa lukemassa 5,0 bar (odotettu muutos 109,0 bar)"
        )
        assert render(again, "metric", now_us=NOW_US).endswith("(3. kerta, alkaen 01:52 UTC)")


def test_a_code_of_another_version_is_shown_and_breaks_nothing() -> None:
    assert render(Message("new.code", {"x": 1}), "metric") == "new.code"
    assert messages.english(Message("new.code", {"x": 1})) == "new.code x=1"
    assert "–" in render(Message("sensor.faulty"), "metric")


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(0.125, 2, "0.13"), (2.5, 0, "3"), (-2.5, 0, "−3"), (-0.004, 2, "0.00"), (1e20, 0, f"1{20 * '0'}")],
)
def test_halves_are_rounded_as_the_browser_does(value: float, decimals: int, text: str) -> None:
    assert fixed(value, decimals) == text


@pytest.mark.parametrize("name", registry.names())
def test_whatever_a_solver_may_name_on_a_machine_has_a_translation(name: str) -> None:
    machine = registry.get(name).build()
    groups = (machine.bodies, machine.volumes, machine.cylinders, machine.diesels, machine.digging)
    parts = {part.name for group in groups for part in group} | {owner for owner, _ in laws(machine)}
    known = {entry.msgid for entry in read("fi", "machines") if entry.msgctxt == MACHINE}
    assert parts - known == set()
    assert parts <= set(part_names(machine))  # the browser gets these


def test_an_error_says_in_english_what_its_code_says() -> None:
    error = Diverged(108.11, Message("model.stroke", {"part": "bucket"}))
    assert (
        str(error)
        == "diverged at t = 108.11 s: piston of 'bucket' left its tube; the last good state is kept"
    )
    assert error.quantity == "piston of 'bucket' left its tube"
    assert messages.detail(messages.failure(error)) == str(error)
    assert "tube" not in render(error.message, "metric")


# the browser


@pytest.mark.parametrize("language", ["en", "fi"])
def test_the_browser_writes_every_message_as_python_does(language: str, tmp_path: Path) -> None:
    """Its renderer is bundled as for a page and run by Node with the words file of the language."""
    cases, words, out = tmp_path / "cases.json", tmp_path / "words.json", tmp_path / "render.mjs"
    made = rendered(language)
    with translation.override(language):
        labels = {channel: named(label) for channel, label in LABELS.items()}
        names = {str(name): named(str(name)) for name in EXAMPLES["name"]}
    cases.write_text(json.dumps({"now": NOW_US, "labels": labels, "names": names, "cases": made}))
    words.write_text(json.dumps(catalogue(language)))
    bundle = [
        "node_modules/.bin/esbuild",
        "test/render_messages.ts",
        "--bundle",
        "--format=esm",
        "--platform=node",
    ]
    for command in ([*bundle, f"--outfile={out}"], ["node", str(out), language, str(words), str(cases)]):
        done = subprocess.run(
            command, cwd=FRONTEND, env=node_environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout)
    assert len(theirs) == len(made) > 300
    for case, text in zip(made, theirs, strict=True):
        assert text == case["text"], case


def fields_in_typescript(name: str) -> set[str]:
    (body,) = (
        found[1]
        for path in (FRONTEND / "src").rglob("*.ts")
        if (found := re.search(rf"export interface {name} \{{\n(.*?)\n\}}", path.read_text(), re.S))
    )
    return set(re.findall(r"^  (\w+): ", body, re.M))


@pytest.mark.parametrize("kind", [Finding, Health])
def test_the_browser_knows_every_field_of(kind: type) -> None:
    assert fields_in_typescript(kind.__name__) == {field.name for field in dataclasses.fields(kind)}


def test_findings_and_health_are_defined_once() -> None:
    for name in ("Finding", "Health"):
        made = [
            str(path.relative_to(ROOT))
            for room in ("simcore", "twin", "workers", "webui")
            for path in (ROOT / room).rglob("*.py")
            if "node_modules" not in path.parts
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef) and node.name == name
        ]
        assert made == ["simcore/estimate/monitor/finding.py"]
    from webui.api.schemas import State

    assert get_type_hints(State)["findings"] == list[Finding]


# modules that may use regular expressions, and on what
EXPRESSIONS = {
    "tools/bootstrap.py": "output of package managers",
    "tools/translations/found.py": "calls of t() in TypeScript sources",
    "webui/accounts/browsers.py": "names of browsers in a User-Agent header",
    "webui/frontend/src/fleet/view.ts": "words of a search",
    "webui/frontend/src/machine/stage/caption.ts": "the part in a channel's label, not a sentence",
    "webui/frontend/src/machine/stage/colours.ts": "colours of CSS",
    "webui/frontend/src/machine/strips/strip.ts": "zeros at the end of a number",
    "webui/frontend/src/shell/tokens.ts": "colours of CSS",
    "webui/frontend/src/words.ts": "places for values in a template",
}


def uses_expressions(path: Path) -> bool:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return any(
            isinstance(node, ast.Import) and any(alias.name == "re" for alias in node.names)
            for node in ast.walk(ast.parse(source))
        )
    return bool(re.search(r"new RegExp\(|[(=,!&|:]\s*/(?![/*])(?:[^/\\\n]|\\.)+/[a-z]*[.,;)\s]", source))


def test_no_sentence_is_taken_apart_by_regular_expressions() -> None:
    files = [
        *(ROOT / "webui").rglob("*.py"),
        *(ROOT / "tools").rglob("*.py"),
        *(FRONTEND / "src").rglob("*.ts"),
    ]
    used = {
        str(path.relative_to(ROOT))
        for path in files
        if "node_modules" not in path.parts and uses_expressions(path)
    }
    assert used == EXPRESSIONS.keys()
