"""The command line: tables for people, JSON for programs, one line for mistakes."""

import json
import math
import re
from pathlib import Path

import pytest

from simcore.cli.main import main


def test_cases_lists_each_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases"]) == 0
    assert capsys.readouterr().out.startswith("four-bar-b     Laboratory rig")


def test_run_prints_a_table_with_the_provenance_of_each_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "four-bar-b", "--t-end", "0.05", "--set", "tau=0.004"]) == 0
    out = capsys.readouterr().out
    assert "l20                            0.45 m              our assumption" in out
    assert "tau                           0.004 s              set by you" in out
    assert "681.23 N at the start" in out


def test_run_prints_one_json_object_with_the_agreed_keys(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "four-bar-b", "--t-end", "0.1", "--sample-dt", "0.05", "--friction", "none", "--json"]
    assert main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    expected = {
        "case", "options", "steps", "cpu_s", "us_per_step", "realtime_factor", "newton", "energy",
        "constraint", "initial", "final", "extremes", "samples",
    }  # fmt: skip
    assert expected <= set(result)
    assert result["steps"] == 100
    assert set(result["newton"]) == {"mean", "max", "failed_steps"}
    assert result["initial"]["cylinder_force_N"] == pytest.approx(681.23)
    assert result["samples"]["t"] == pytest.approx([0.0, 0.05, 0.1])
    assert len(result["samples"]["z_deg"]) == 3
    assert len(result["extremes"]["pressure_Pa"]) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "five-bar"], "unknown case 'five-bar'; known: four-bar-b"),
        (["run", "four-bar-b", "--set", "tau"], "--set tau: must have the form NAME=VALUE"),
        (["run", "four-bar-b", "--set", "tau=9"], "tau = 9.0: must be 0.0001 to 1 s"),
        (["run", "four-bar-b", "--dt", "0"], "--dt 0.0: must be more than 0 s"),
        (["run", "four-bar-b", "--dt", "nan"], "--dt nan: must be more than 0 s"),
        (["run", "four-bar-b", "--t-end", "-1"], "--t-end -1.0: must be more than 0 s"),
        (["run", "four-bar-b", "--dt", "1e-9"], "steps: must be 1 to 20000000"),
        (["run", "four-bar-b", "--sample-dt", "1e-5"], "sample_dt = 1e-05 s: must not be below dt"),
        (
            ["run", "four-bar-b", "--integrator", "rk4"],
            "too long for rk4: the pressure in 'hose' is stable only up to",
        ),
        (
            ["run", "four-bar-b", "--mode", "reference", "--integrator", "rk4"],
            "--mode reference: needs --integrator",
        ),
        (["run", "four-bar-b", "--dt", "0.5"], "dt = 0.5 s: must be more than 0 s and at most 0.1 s"),
        (["run", "four-bar-b", "--dt=-1e-3"], "--dt -0.001: must be more than 0 s"),
        (["run", "four-bar-b", "--t-end", "inf"], "--t-end inf: must be more than 0 s and below 1e6 s"),
        (["run", "four-bar-b", "--t-end", "1e-9"], "steps: must be 1 to 20000000"),
        (["run", "four-bar-b", "--sample-dt", "nan"], "--sample-dt nan: must be more than 0 s"),
        (
            ["run", "four-bar-b", "--sample-dt", "11"],
            "sample_dt = 11.0 s: must be at most 10 s, the length of the run",
        ),
        (["run", "four-bar-b", "--set", "tau=nan"], "tau = nan: must be 0.0001 to 1 s"),
        (["run", "four-bar-b", "--set", "taw=1"], "unknown parameter 'taw'; known: crank_mass"),
        (["run", "chain", "--friction", "none"], "unknown parameter 'friction'; known: n"),
        (
            ["run", "four-bar-b", "--formulation", "index1"],
            "index1 cannot be used with integrator trapezoidal",
        ),
        (["run", "four-bar-b", "--plot", "/nowhere/x.html"], "directory '/nowhere' does not exist"),
        (["run", "four-bar-b", "--plot", "."], "--plot .: must be a file, not a directory"),
    ],
)
def test_a_bad_option_exits_2_with_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_unknown_option_exits_2_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "four-bar-b", "--friction", "dry"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_diverging_run_exits_3_with_time_and_quantity(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "four-bar-b", "--set", "l20=0.16", "--set", "crank_start=1.2"]
    assert main(arguments) == 3
    error = capsys.readouterr().err
    assert "diverged at t =" in error
    assert "piston of 'cylinder' left its tube" in error
    assert "cylinder.p_A" in error


def test_a_diverging_run_tells_programs_its_last_good_state(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "four-bar-b", "--set", "l20=0.16", "--set", "crank_start=1.2", "--json"]) == 3
    told = json.loads(capsys.readouterr().out)["diverged"]
    assert told["quantity"] == "piston of 'cylinder' left its tube"
    assert 0 < told["time_s"] < 10
    assert told["last_good_state"].keys() >= {"crank.angle", "cylinder.length"}
    assert all(math.isfinite(value) for value in told["last_good_state"].values())


def test_a_plot_is_one_page_that_loads_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "run.html"
    assert main(["run", "four-bar-b", "--t-end", "0.5", "--set", "tau=0.004", "--plot", str(target)]) == 0
    page = target.read_text()
    for text in ("pressure, MPa", "angle, deg", "force, kN", "signal, V", "energy, J", "drift, J", "time, s"):
        assert text in page, text
    assert "500 steps of 1 ms, penalty formulation, trapezoidal rule, tau = 0.004" in page
    assert "<td>tau</td><td>0.004</td><td>s</td><td>set by you</td>" in page
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", page)
    assert "energy by element" in capsys.readouterr().out


def test_a_step_that_does_not_converge_in_reference_mode_exits_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "rahikainen-b", "--mode", "reference", "--dt", "0.003"]) == 3
    assert "diverged at t = 2.814 s: pressure of 'hose'" in capsys.readouterr().err


def test_a_hose_is_left_out_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "four-bar-b", "--t-end", "0.02", "--hydraulics", "singular-perturbation", "--json"]
    assert main(arguments) == 0
    assert len(json.loads(capsys.readouterr().out)["final"]["pressure_Pa"]) == 2
