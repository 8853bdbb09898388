"""The tutorial runs as it is written, and its machine does what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

from simcore import Simulation

TUTORIAL = Path(__file__).resolve().parents[3] / "docs" / "tutorial.md"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is defined after all blocks were pasted one after the other."""
    folder = tmp_path_factory.mktemp("tutorial")
    names: dict[str, Any] = {"folder": folder}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for block in re.findall(r"^```python\n(.*?)^```", TUTORIAL.read_text(), re.DOTALL | re.MULTILINE):
            exec(compile(block, str(TUTORIAL), "exec"), names)  # noqa: S102
    return names


def test_the_crane_lifts_and_lowers_its_load(done: dict[str, Any]) -> None:
    angle = done["run"]["boom.angle"]
    assert angle.max() > angle[0] + 0.3
    assert angle[0] < angle[-1] < angle.max() - 0.1
    assert min(done["run"]["lift.p_A"].min(), done["run"]["lift.p_B"].min()) > 500.0  # Pa, vapour pressure
    assert done["again"]["lift.p_A"].max() > done["run"]["lift.p_A"][0]


def test_its_books_close_with_second_order(done: dict[str, Any]) -> None:
    inputs = {"valve.command": ([0.0, 0.5, 2.0, 3.0, 5.0], [0.0, 6.0, 0.0, -3.0, 0.0])}
    finer = Simulation(done["crane"], dt=5e-4).run(6.0, inputs).energy
    energy = done["run"].energy
    assert finer["drift_max_J"] < 0.35 * energy["drift_max_J"]
    assert abs(energy["left_over_J"]) < 1e-3 * energy["lost_J"]


def test_table_and_page_are_written(done: dict[str, Any]) -> None:
    assert (done["folder"] / "crane.csv").read_text().startswith("t,boom.angle,lift.p_A")
    assert "pressure, MPa" in (done["folder"] / "crane.html").read_text()
