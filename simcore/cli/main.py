"""Reads the arguments of `python -m simcore` and runs the chosen command.

Exit status: 0 if the command succeeded, 2 if an option or a value was wrong, 3 if the run diverged.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from simcore import registry
from simcore.cases.seals import LAWS
from simcore.cli.table import caption, input_rows, table
from simcore.errors import Diverged, SimcoreError
from simcore.model.case import Case, Value

if TYPE_CHECKING:
    from simcore.run.recording import Run


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"simcore: {message}\n")


def main(arguments: Sequence[str]) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        commands = {"cases": _cases, "run": _run, "bench": _bench, "estimate": _estimate}
        commands |= {"capacity": _capacity, "variants": _variants, "quality": _quality}
        return commands[options.command](options)
    except Diverged as error:
        _report(error, as_json=getattr(options, "json", False))
        return 3
    except SimcoreError as error:
        print(f"simcore: {error}", file=sys.stderr)
        return 2


def _report(error: Diverged, as_json: bool) -> None:
    """Print when and why a run diverged, and the channels in the last good state."""
    print(f"simcore: {error}", file=sys.stderr)
    if as_json:
        details = {"time_s": error.time, "quantity": error.quantity, "last_good_state": error.last}
        print(json.dumps({"diverged": details}))
        return
    for name, value in error.last.items():
        print(f"  {name:24} {value:.6g}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m simcore", description="Simulate hydraulic machines.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    commands.add_parser("cases", help="list all cases and machines")
    run = commands.add_parser("run", help="simulate a case or machine")
    run.add_argument("case", metavar="CASE")
    run.add_argument("--dt", type=float, metavar="S", help="time step, s")
    run.add_argument("--t-end", type=float, metavar="S", help="duration of the run, s")
    run.add_argument(
        "--formulation",
        choices=("penalty", "double-step", "index1"),
        help="method of closing kinematic loops (default: double-step with rk4, otherwise penalty)",
    )
    run.add_argument(
        "--integrator",
        choices=("trapezoidal", "damped", "rk4"),
        default="trapezoidal",
        help="time integration (default: trapezoidal)",
    )
    run.add_argument("--friction", choices=LAWS, help="friction law of the cylinder seals")
    run.add_argument(
        "--hydraulics",
        choices=("lumped", "singular-perturbation"),
        help="small volumes: integrated (lumped) or left out (singular-perturbation)",
    )
    run.add_argument(
        "--mode",
        choices=("fast", "reference"),
        default="fast",
        help="reference: as the publications do it, with forward-difference tangent, forward-Euler spool and "
        "right-rectangle work",
    )
    _add_set(run)
    run.add_argument(
        "--sample-dt",
        type=float,
        metavar="S",
        help="interval of samples, s; adds trajectories to the JSON",
    )
    run.add_argument("--plot", metavar="FILE.html", help="write an HTML page with all curves")
    run.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    _add_estimate(
        commands.add_parser("estimate", help="run a twin of a simulated machine with model errors and noise")
    )
    variants = commands.add_parser("variants", help="compare variants of a machine in the same work cycle")
    variants.add_argument("case", metavar="MACHINE")
    _add_set(variants)
    variants.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    capacity = commands.add_parser("capacity", help="lift-capacity chart of a machine")
    capacity.add_argument("case", metavar="MACHINE")
    capacity.add_argument(
        "--points", type=int, default=12, metavar="N", help="number of points along the reach, 2 to 100"
    )
    _add_set(capacity)
    capacity.add_argument("--plot", metavar="FILE.html", help="write an HTML page with the chart")
    capacity.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    quality = commands.add_parser("quality", help="measure the quality of machine models")
    quality.add_argument("names", nargs="*", metavar="MACHINE", help="default: all")
    quality.add_argument("--write", action="store_true", help="store the results in the repository")
    quality.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    bench = commands.add_parser("bench", help="measure time and error of a step, compared with other engines")
    bench.add_argument("names", nargs="*", metavar="NAME", help="chain, four-bar-free, ... (default: all)")
    bench.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    return parser


def _add_set(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter; may be repeated"
    )


def _add_estimate(estimate: argparse.ArgumentParser) -> None:
    estimate.add_argument("case", metavar="CASE")
    estimate.add_argument(
        "--sensors",
        default="own",
        metavar="SET",
        help="own (the machine's own sensors; default), or for four-bar-b set-1 to set-4",
    )
    estimate.add_argument("--rate", type=float, default=200.0, metavar="HZ", help="sampling rate, Hz")
    estimate.add_argument(
        "--machine", choices=("E0", "E1", "E2", "E3"), default="E1", help="model errors of the real machine"
    )
    estimate.add_argument(
        "--filter",
        choices=("published", "full", "bias"),
        default="bias",
        help="published, full (estimates all states) or bias (states and biases; default)",
    )
    estimate.add_argument("--noise-seed", type=int, default=0, metavar="N", help="random seed of the noise")
    estimate.add_argument(
        "--noise-scale", type=float, default=1.0, metavar="X", help="factor on the real sensor noise"
    )
    estimate.add_argument(
        "--event",
        metavar="NAME",
        help="pick-up (needs a declared payload), stuck, outliers, loss, delay, late or swapped",
    )
    estimate.add_argument("--plot", metavar="FILE.html", help="write an HTML page with all curves")
    estimate.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def _estimate(options: argparse.Namespace) -> int:
    case = registry.get(options.case)
    if not 0 < options.rate < 1e6:
        raise SimcoreError(f"--rate {options.rate}: must be more than 0 Hz and below 1e6 Hz")
    if options.noise_seed < 0:
        raise SimcoreError(f"--noise-seed {options.noise_seed}: must be 0 or more")
    target = _plot_target(options.plot)
    from simcore.cli.estimate import Setting, experiment  # loads the engine
    from simcore.cli.estimate_output import as_json, table

    chosen = Setting(
        options.sensors, options.rate, options.machine, options.filter, options.noise_seed,
        options.noise_scale, options.event,
    )  # fmt: skip
    done = experiment(case, chosen, takes=3)
    if target is not None:
        from simcore.cli.estimate_plots import page

        target.write_text(page(case, done), encoding="utf-8")
    print(json.dumps(as_json(case, done)) if options.json else table(case, done))
    return 0


def _variants(options: argparse.Namespace) -> int:
    from simcore.cli.variants import compare_variants

    print(compare_variants(options.case, _set(options), options.json))
    return 0


def _capacity(options: argparse.Namespace) -> int:
    case, overrides, target = registry.get(options.case), _set(options), _plot_target(options.plot)
    from simcore.cli.capacity import as_json, capacity, page, table  # loads the engine

    found = capacity(case, overrides, options.points)
    if target is not None:
        _write(target, page(case, found))
    print(json.dumps(as_json(case, overrides, found)) if options.json else table(case, found))
    return 0


def _quality(options: argparse.Namespace) -> int:
    from simcore.cli.quality import command  # loads the engine

    return command(options.names, options.write, options.json)


def _bench(options: argparse.Namespace) -> int:
    from simcore.cli.bench import as_json, bench, circumstances, left_out, line  # loads the engine

    missing = left_out(options.names)
    if options.json:
        print(json.dumps(as_json(bench(options.names), missing)))
        return 0
    print(circumstances(), *missing, sep="\n", flush=True)
    for timing in bench(options.names):
        print(line(timing), flush=True)
    return 0


def _cases(_: argparse.Namespace) -> int:
    for name in registry.names():
        print(f"{name:14} {registry.get(name).sentence}")
    return 0


def _set(options: argparse.Namespace) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for item in options.set:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise SimcoreError(f"--set {item}: must have the form NAME=VALUE")
        found[name] = _value(value)
    return found


def _overrides(options: argparse.Namespace) -> dict[str, Value]:
    found = _set(options)
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
        raise SimcoreError(f"--mode reference: needs --integrator trapezoidal, not {options.integrator}")
    return "trapezoidal-reference"


def _run(options: argparse.Namespace) -> int:
    case = registry.get(options.case)
    overrides = _overrides(options)
    integrator = _integrator(options)
    for name in ("dt", "t_end", "sample_dt"):
        value = getattr(options, name)
        if value is not None and not 0 < value < 1e6:
            raise SimcoreError(f"--{name.replace('_', '-')} {value}: must be more than 0 s and below 1e6 s")
    target = _plot_target(options.plot)
    case.build(**overrides)  # refuses bad values before the engine is loaded
    from simcore.run.case_run import describe, simulate

    done = simulate(
        case,
        overrides,
        dt=options.dt,
        t_end=options.t_end,
        integrator=integrator,
        formulation=options.formulation,
        sample_dt=options.sample_dt,
    )
    result = describe(case, overrides, done, options.sample_dt is not None)
    if target is not None:
        _plot(target, case, overrides, done, result)
    print(json.dumps(result) if options.json else table(case, overrides, done.machine, result))
    return 0


def _plot_target(given: str | None) -> Path | None:
    """The file of --plot, checked before the run."""
    if given is None:
        return None
    target = Path(given)
    if not target.parent.is_dir():
        raise SimcoreError(f"--plot {given}: directory {str(target.parent)!r} does not exist")
    if not target.name or target.is_dir():
        raise SimcoreError(f"--plot {given}: must be a file, not a directory")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise SimcoreError(f"--plot {given}: this file or its directory is not writable")
    return target


def _plot(target: Path, case: Case, overrides: dict[str, Value], done: Run, result: dict[str, Any]) -> None:
    from simcore.run.report import page

    title = f"{case.name}: {case.sentence}"
    _write(target, page(done, title, caption(result), input_rows(case, overrides)))


def _write(target: Path, text: str) -> None:
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SimcoreError(f"--plot {target}: cannot be written: {error.strerror}") from None
