"""No function of simcore assigns through a plan: it is compiled once and read from then on."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def _owners(target: ast.expr) -> Iterator[str]:
    """Names along `a.b[c].d`, for a target that changes what they hold."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
        if isinstance(target, ast.Attribute):
            yield target.attr
        elif isinstance(target, ast.Name):
            yield target.id


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Assign):
        waiting = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        waiting = [node.target]
    else:
        return
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts
        elif isinstance(target, ast.Starred):
            waiting.append(target.value)
        else:
            yield target


def _aliases(function: ast.AST) -> set[str]:
    """Local names of a part of a plan, as in `body = plan.bodies[i]` and `body, here = plan.bodies[i], x`."""
    found = {"plan"}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for name, source in pairs:
            is_part = isinstance(source, ast.Attribute | ast.Subscript) and "plan" in set(_owners(source))
            if isinstance(name, ast.Name) and is_part:
                found.add(name.id)
    return found


def _written(tree: ast.AST) -> list[int]:
    """Lines that assign through a plan or through a local name of a part of one."""
    lines = []
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            parts = _aliases(function)
            for node in ast.walk(function):
                lines += [node.lineno for t in _targets(node) if parts & set(_owners(t))]
    return lines


def test_no_function_of_simcore_assigns_through_a_plan() -> None:
    files = sorted((ROOT / "simcore").rglob("*.py"))
    assert files
    offences = [
        f"{file.relative_to(ROOT)}:{line}" for file in files for line in _written(ast.parse(file.read_text()))
    ]
    assert offences == []


def test_an_assignment_through_a_plan_would_be_found() -> None:
    source = (
        "def f(plan, self):\n"
        "    plan.head['dt'] = 0.0\n"
        "    body, x = plan.bodies[1], 2\n"
        "    body.mass += 1.0\n"
        "    self.plan.valves[0].gain = 1.0\n"
        "    body.mass\n"
    )
    assert _written(ast.parse(source)) == [2, 4, 5]
