"""The decorator and its cache; warming; call costs that would hurt a live system."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from simcore import registry
from simcore.estimate.twin.live_twin import LiveTwin
from simcore.kernels import jit
from simcore.run.simulation import Simulation
from simcore.warm import warm_kernels

SIMCORE = Path(jit.__file__).parents[1]


def test_a_kernel_depends_on_all_that_it_can_call() -> None:
    reached = {
        path.relative_to(SIMCORE).as_posix() for path in jit.reached(SIMCORE / "formulation" / "evaluate.py")
    }
    assert {"formulation/evaluate.py", "algebra/vector3.py", "hydraulics/flow.py", "model/plan.py"} <= reached
    assert not {"integrate/trapezoidal.py", "model/elements.py", "cases/four_bar_b.py"} & reached


def test_an_edit_is_a_new_stamp_for_its_callers_and_for_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "simcore"
    shutil.copytree(SIMCORE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "_ROOT", copy)
    monkeypatch.setattr(jit, "_imports", jit._imports.__wrapped__)
    stamp = jit.stamp.__wrapped__
    files = copy / "integrate" / "trapezoidal.py", copy / "multibody" / "kinematics.py"
    caller, bystander = (stamp(file) for file in files)
    assert caller == jit.stamp(SIMCORE / "integrate" / "trapezoidal.py")  # whichever the checkout
    (copy / "integrate" / "tangent.py").write_text("# edited\n")
    assert stamp(files[0]) != caller
    assert stamp(files[1]) == bystander


def test_a_kernel_that_allocates_does_not_compile() -> None:
    def allocates() -> float:
        return np.zeros(3).sum()

    import numba

    options = {k: v for k, v in jit._OPTIONS.items() if k != "cache"}
    with pytest.raises(numba.core.errors.NumbaError):
        numba.njit(**options)(allocates)()


def test_warming_reports_its_progress_up_to_the_end() -> None:
    heard: list[tuple[str, float]] = []
    warm_kernels(lambda text, share: heard.append((text, share)))
    shares = [share for _, share in heard]
    assert shares == sorted(shares)
    assert heard[-1] == ("kernels ready", 1.0)
    assert all(text for text, _ in heard)


def test_a_new_variant_steps_without_compiling() -> None:
    machine = registry.get("four-bar-b").build(crank_mass=17.0, friction="none")
    begin = time.process_time()
    Simulation(machine).advance(1)
    LiveTwin(machine).advance(1)
    assert time.process_time() - begin < 0.5
