"""The commands `cases` and `run`. Bad options exit 2 with one line, a diverging run exits 3."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import NoReturn

from simcore import cases
from simcore.cases.case import Value
from simcore.cases.seals import LAWS
from simcore.cli.table import table
from simcore.errors import Diverged, SimcoreError


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"simcore: {message}\n")


def main(arguments: Sequence[str]) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _cases() if options.command == "cases" else _run(options)
    except Diverged as error:
        print(f"simcore: {error}", file=sys.stderr)
        return 3
    except SimcoreError as error:
        print(f"simcore: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m simcore", description="Simulate hydraulic machines.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    commands.add_parser("cases", help="the cases, one per line")
    run = commands.add_parser("run", help="run a case")
    run.add_argument("case", metavar="CASE")
    run.add_argument("--dt", type=float, metavar="S", help="time step")
    run.add_argument("--t-end", type=float, metavar="S", help="end of the run")
    run.add_argument(
        "--formulation",
        choices=("penalty", "double-step", "index1"),
        help="how loops are closed; default: double-step with rk4, penalty otherwise",
    )
    run.add_argument("--integrator", choices=("trapezoidal", "damped", "rk4"), default="trapezoidal")
    run.add_argument("--friction", choices=LAWS, help="law of the cylinder seal")
    run.add_argument(
        "--hydraulics",
        choices=("lumped", "singular-perturbation"),
        help="small volumes as unknowns, or left out",
    )
    run.add_argument(
        "--mode",
        choices=("fast", "reference"),
        default="fast",
        help="reference: forward-difference tangent, forward-Euler spool, right-rectangle work",
    )
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the case"
    )
    run.add_argument("--sample-dt", type=float, metavar="S", help="add trajectories")
    run.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return parser


def _cases() -> int:
    for name in cases.names():
        print(f"{name:14} {cases.get(name).sentence}")
    return 0


def _overrides(options: argparse.Namespace) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for item in options.set:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise SimcoreError(f"--set {item}: must be NAME=VALUE")
        found[name] = _value(value)
    for name in ("friction", "hydraulics"):
        if getattr(options, name) is not None:
            found[name] = getattr(options, name)
    return found


def _value(text: str) -> Value:
    try:
        return float(text)
    except ValueError:
        return text


def _integrator(options: argparse.Namespace) -> str:
    if options.mode == "fast":
        return str(options.integrator)
    if options.integrator != "trapezoidal":
        raise SimcoreError("--mode reference belongs to --integrator trapezoidal")
    return "trapezoidal-reference"


def _run(options: argparse.Namespace) -> int:
    case = cases.get(options.case)
    overrides = _overrides(options)
    integrator = _integrator(options)
    for name in ("dt", "t_end", "sample_dt"):
        value = getattr(options, name)
        if value is not None and not 0 < value < 1e6:
            raise SimcoreError(f"--{name.replace('_', '-')} {value}: must be more than 0 s and below 1e6 s")
    machine = case.build(**overrides)
    from simcore.run import run  # the engine is loaded only when something is run

    result = run(
        case,
        overrides,
        dt=options.dt,
        t_end=options.t_end,
        integrator=integrator,
        formulation=options.formulation,
        sample_dt=options.sample_dt,
    )
    print(json.dumps(result) if options.json else table(case, overrides, machine, result))
    return 0
