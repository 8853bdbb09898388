"""The decorator and its cache; warming; call costs that would hurt a live system."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

import simcore.jit
from simcore import cases
from simcore.estimate.live_twin import LiveTwin
from simcore.simulation import Simulation
from simcore.warm import warm_kernels


def test_the_cache_directory_changes_with_any_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "simcore"
    shutil.copytree(Path(simcore.jit.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("HYDRATWIN_KERNEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(simcore.jit, "__file__", str(copy / "jit.py"))
    before = simcore.jit.cache_directory()
    assert before.parent == tmp_path / "cache"
    (copy / "work.py").write_text("# edited\n")
    assert simcore.jit.cache_directory() != before


def test_a_kernel_that_allocates_does_not_compile() -> None:
    def allocates() -> float:
        return np.zeros(3).sum()

    import numba

    options = {k: v for k, v in simcore.jit._OPTIONS.items() if k != "cache"}
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
    machine = cases.get("four-bar-b").build(crank_mass=17.0, friction="none")
    begin = time.process_time()
    Simulation(machine).advance(1)
    LiveTwin(machine).advance(1)
    assert time.process_time() - begin < 0.5
