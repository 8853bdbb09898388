"""One registry: a machine model that is listed there appears everywhere the platform lists models."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from simcore import registry
from simcore.cli import quality
from simcore.cli.main import main
from simcore.machines.loader_crane import LOADER_CRANE
from simcore.machines.model import MachineModel
from simcore.model.profile import DemoMachine, DemoSite, PlatformProfile
from twin.fleet import catalogue
from twin.showroom.services import offered_models
from twin.sites.models import Kind
from workers.demo import fleet
from workers.emulator.as_built import FAULTS
from workers.loadtest.recording import played_models

FOREST = DemoSite("Forest", "yard", 10.0, 20.0)


@pytest.fixture
def forwarder(monkeypatch: pytest.MonkeyPatch) -> MachineModel:
    """A made-up machine model, registered with one line."""
    profile = PlatformProfile(
        at_work={"payload": 2.0},
        compared="A made-up comparison.",
        demo_machines=(DemoMachine("Forwarder 31", 31, {"payload": 1.0}, fault="worn seals"),),
        demo_site=FOREST,
    )
    model = replace(LOADER_CRANE, name="forwarder", kind="Forwarder", profile=profile)
    monkeypatch.setattr(registry, "MACHINES", (*registry.MACHINES, model))
    return model


def test_a_registered_machine_is_known_by_name(
    forwarder: MachineModel, capsys: pytest.CaptureFixture[str]
) -> None:
    assert registry.names()[-1] == "forwarder"
    assert registry.get("forwarder") is forwarder
    assert catalogue.kind("forwarder") == "Forwarder"
    assert main(["cases"]) == 0
    assert "forwarder" in capsys.readouterr().out


def test_a_registered_machine_is_offered_unless_it_says_otherwise(
    forwarder: MachineModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered_models()[-1] == ("forwarder", "Forwarder")
    withdrawn = replace(forwarder, profile=replace(forwarder.profile, offered=False))
    monkeypatch.setattr(registry, "MACHINES", (*registry.MACHINES[:-1], withdrawn))
    assert [name for name, _ in offered_models()] == ["four-bar-b", "loader-crane", "excavator"]


def test_a_registered_machine_is_measured_on_the_quality_scale(forwarder: MachineModel) -> None:
    assert quality.chosen([])[-1] == "forwarder"
    assert quality.chosen(["forwarder"]) == ["forwarder"]
    assert registry.profiles()["forwarder"].compared == "A made-up comparison."


def test_a_registered_machine_can_be_played_in_a_load_test(forwarder: MachineModel) -> None:
    assert played_models()["forwarder"] == {"payload": 2.0}


def test_a_registered_machine_brings_its_demo_machines_and_site(forwarder: MachineModel) -> None:
    spec = fleet.machines()[-1]
    assert (spec.name, spec.model, spec.serial, spec.fault) == ("Forwarder 31", "forwarder", 31, "worn seals")
    assert fleet.sites()[-1] == (FOREST, ("forwarder",))


def test_models_that_declare_the_same_site_share_it(
    forwarder: MachineModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = replace(forwarder, profile=replace(forwarder.profile, demo_site=LOADER_CRANE.profile.demo_site))
    monkeypatch.setattr(registry, "MACHINES", (*registry.MACHINES[:-1], yard))
    assert ("loader-crane", "forwarder") in [models for _, models in fleet.sites()]


def test_cases_without_a_profile_stay_out_of_the_platform() -> None:
    assert list(registry.profiles()) == ["four-bar-b", "loader-crane", "excavator"]


def test_every_demo_machine_can_be_emulated() -> None:
    """Parameters within their ranges, a known fault, a sensor that exists; names and serials are unique."""
    for spec in fleet.machines():
        model = registry.get(spec.model)
        assert isinstance(model, MachineModel)
        machine = model.build(**spec.parameters)
        assert spec.fault in FAULTS
        assert spec.stuck in {"", *(o.name for o in machine.outputs if o.role == "sensor")}
    for part in ("name", "serial"):
        assert max(Counter(getattr(spec, part) for spec in fleet.machines()).values()) == 1
    assert all(site.kind in Kind.values for site, _ in fleet.sites())


def test_descriptions_are_built_without_the_compiler() -> None:
    """A web process lists and builds every model without paying for numba or scipy."""
    script = (
        "import sys; from simcore import registry\n"
        "for name in registry.names(): registry.get(name).build()\n"
        "from simcore.machines.quality import scale, stored_results\n"
        "from simcore.machines import as_json, instruments, variant\n"
        "print(sorted({'numba', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
