"""Finds every text that is marked for translation in Python, templates and TypeScript."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "webui" / "frontend" / "src"
PYTHON = ("twin", "webui")
# functions by what their first arguments are
_SINGLE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
_PLURAL = {"ngettext", "ngettext_lazy"}
_CONTEXT = {"pgettext", "pgettext_lazy"}
_LITERAL = r'"((?:[^"\\]|\\.)*)"'
_T = re.compile(rf"\bt\(\s*{_LITERAL}")
_TN = re.compile(rf"\btn\(\s*{_LITERAL},\s*{_LITERAL}")


class Text(NamedTuple):
    """A text in a catalogue. where: its source, for translators."""

    msgid: str
    plural: str = ""
    context: str | None = None
    where: str = ""

    @property
    def key(self) -> tuple[str | None, str]:
        return self.context, self.msgid


def in_pages() -> dict[tuple[str | None, str], Text]:
    """Texts for Django's catalogue, from Python and templates."""
    return _unique([*_in_python(), *_in_templates()])


def in_scripts() -> dict[tuple[str | None, str], Text]:
    texts = []
    for path in sorted(SOURCES.rglob("*.ts")):
        if path.name == "styleguide.ts":
            continue  # shows components, is no part of the product
        source, where = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
        texts += [Text(_read(found[1]), where=where) for found in _T.finditer(source)]
        texts += [Text(_read(found[1]), _read(found[2]), where=where) for found in _TN.finditer(source)]
    return _unique(texts)


def _read(literal: str) -> str:
    return str(ast.literal_eval(f'"{literal}"'))


def _unique(texts: list[Text]) -> dict[tuple[str | None, str], Text]:
    return {text.key: text for text in reversed(texts)}


def _in_python() -> Iterator[Text]:
    for room in PYTHON:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "node_modules" in path.parts or "migrations" in path.parts:
                continue
            where = str(path.relative_to(ROOT))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (text := _called(node, where)):
                    yield text


def _called(call: ast.Call, where: str) -> Text | None:
    """The text in a call that translates; None for a call with a variable, whose text is found elsewhere."""
    name = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
    given = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if name in _SINGLE and len(given) == 1:
        return Text(given[0], where=where)
    if name in _PLURAL and len(given) >= 2:
        return Text(given[0], given[1], where=where)
    if name in _CONTEXT and len(given) == 2:
        return Text(given[1], context=given[0], where=where)
    return None


def _in_templates() -> Iterator[Text]:
    """Texts in templates, read with Django's own parser so that both find the same text."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    import django
    from django.apps import apps
    from django.template import Engine
    from django.templatetags.i18n import BlockTranslateNode, TranslateNode

    if not apps.ready:
        django.setup()
    django_engine = Engine.get_default()
    for path in sorted(ROOT.glob("webui/*/templates/**/*.html")):
        where = str(path.relative_to(ROOT))
        nodes = django_engine.from_string(path.read_text(encoding="utf-8")).nodelist
        for node in cast(list[TranslateNode], nodes.get_nodes_by_type(TranslateNode)):
            literal = node.filter_expression.var.literal
            if literal is not None:
                yield Text(str(literal).replace("%", "%%"), where=where)
        for block in cast(list[BlockTranslateNode], nodes.get_nodes_by_type(BlockTranslateNode)):
            singular = block.render_token_list(block.singular)[0]
            plural = block.render_token_list(block.plural)[0] if block.plural else ""
            yield Text(singular, plural, where=where)
