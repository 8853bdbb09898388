"""A machine that cannot be is refused with element, value and what is allowed."""

import math
import subprocess
import sys
from dataclasses import replace

import oil_rigs
import pytest

from simcore import registry
from simcore.errors import BadMachine, BadParameter, SimcoreError, UnknownCase
from simcore.model import channel_table, check, scene
from simcore.model.compiler import compile
from simcore.model.elements import BrownMcPhee, Curve, Machine, Pump, Volume
from simcore.model.quantity import Vector, assumed, place, printed

CASE = registry.get("four-bar-b")
RIG = CASE.build()


def _with_crank(**changes: object) -> Machine:
    return replace(RIG, bodies=(replace(RIG.bodies[0], **changes), *RIG.bodies[1:]))


def test_a_negative_mass_is_refused_with_body_and_value() -> None:
    with pytest.raises(BadMachine, match=r"crank\.mass = -1 kg: must be zero or more"):
        check(_with_crank(mass=assumed(-1.0, "kg")))


def test_a_nan_is_refused_wherever_it_hides() -> None:
    with pytest.raises(BadMachine, match=r"crank\.mass = nan kg"):
        check(_with_crank(mass=assumed(math.nan, "kg")))
    with pytest.raises(BadMachine, match=r"crank\.centre"):
        check(_with_crank(centre=place(math.nan, 0, 0)))
    friction = BrownMcPhee(
        printed(210, "N"), printed(830, "N"), printed(math.inf, "m/s"), printed(330, "N s/m")
    )
    with pytest.raises(BadMachine, match=r"cylinder\.friction\.stribeck_velocity"):
        check(replace(RIG, cylinders=(replace(RIG.cylinders[0], friction=friction),)))


def test_an_inertia_of_no_rigid_body_is_refused() -> None:
    with pytest.raises(BadMachine, match="'crank': principal moments"):
        check(_with_crank(inertia=Vector((1.0, 1.0, 3.0), "kg m²", "assumed")))


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    cylinder = replace(RIG.cylinders[0], chamber_a="piston side")
    with pytest.raises(BadMachine, match="'piston side', which does not exist; known: hose, piston chamber"):
        check(replace(RIG, cylinders=(cylinder,)))


def test_a_name_used_twice_is_refused() -> None:
    with pytest.raises(BadMachine, match="volume or source name 'hose' is used 2 times"):
        check(replace(RIG, volumes=(*RIG.volumes, RIG.volumes[0])))


def test_a_loop_that_cannot_close_is_refused_with_its_name() -> None:
    loop = replace(RIG.loops[0], a=replace(RIG.loops[0].a, at=place(40, 0, 0)))
    with pytest.raises(BadMachine, match="loop 'rocker bearing' of 'four-bar-b' does not close"):
        check(replace(RIG, loops=(loop,)))


def test_an_unconnected_volume_is_refused_with_what_it_could_be_joined_to() -> None:
    lonely = Volume("lonely", "Lonely", printed(1e-4, "m³"), printed(5e8, "Pa"), printed(1e5, "Pa"))
    with pytest.raises(BadMachine, match=r"'lonely' is not connected to a pressure source.*pump, tank"):
        check(replace(RIG, volumes=(*RIG.volumes, lonely)))


def test_a_piston_outside_its_tube_is_refused() -> None:
    cylinder = replace(RIG.cylinders[0], chamber_a_at_reference=assumed(1.2, "m"))
    with pytest.raises(BadMachine, match=r"chamber A would be 1\.2 m long; it must be 0 to 0\.9 m"):
        check(replace(RIG, cylinders=(cylinder,)))


def test_a_sensor_without_noise_is_refused() -> None:
    outputs = (replace(RIG.outputs[0], noise=None), *RIG.outputs[1:])
    with pytest.raises(BadMachine, match=r"'crank\.angle': a channel with the role sensor"):
        check(replace(RIG, outputs=outputs))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"crank_mas": 1}, "unknown parameter 'crank_mas'; known: crank_mass"),
        ({"crank_mass": -3}, "crank_mass = -3: must be 0.1 to 10000 kg"),
        ({"tau": math.nan}, "tau = nan: must be 0.0001 to 1 s"),
        ({"tau": "fast"}, "tau = fast: must be"),
        ({"tau": True}, "tau = True: must be"),
        ({"friction": "dry"}, "friction = dry: must be one of: none, efficiency, bengisu-akay, brown-mcphee"),
    ],
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(overrides: dict, message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        CASE.build(**overrides)


def test_an_unknown_case_lists_the_known_ones() -> None:
    with pytest.raises(UnknownCase, match="unknown case 'five-bar'; known: four-bar-b"):
        registry.get("five-bar")
    assert issubclass(UnknownCase, SimcoreError)
    assert issubclass(SimcoreError, ValueError)


def test_every_number_shows_unit_and_origin_and_a_changed_one_is_no_longer_printed() -> None:
    assert RIG.bodies[0].mass.origin == "printed"
    changed = CASE.build(crank_mass=15.2)
    assert (changed.bodies[0].mass.value, changed.bodies[0].mass.origin) == (15.2, "assumed")


def test_redundant_rows_of_a_plane_loop_fall_out() -> None:
    assert len(compile(RIG).rows) == 2


def test_a_plan_has_the_same_types_whatever_the_machine() -> None:
    other = compile(CASE.build(friction="none", crank_mass=20))
    assert [a.dtype for a in compile(RIG)] == [a.dtype for a in other]
    assert len(other) <= 12


def test_the_channel_table_of_the_rig_has_its_order_roles_and_units() -> None:
    table = channel_table(RIG)
    assert [c.name for c in table] == [
        "crank.angle", "crank.rate", "hose.p", "cylinder.p_A", "cylinder.p_B", "coupler.angle",
        "rocker.angle", "cylinder.length", "cylinder.force", "valve.command", "valve.spool",
    ]  # fmt: skip
    roles = {c.name: c.role for c in table}
    assert [n for n, r in roles.items() if r == "sensor"] == [
        "crank.angle", "crank.rate", "hose.p", "cylinder.p_B",
    ]  # fmt: skip
    assert (roles["valve.command"], roles["valve.spool"]) == ("input", "model")
    assert all((c.noise_sigma is not None) == (c.role == "sensor") for c in table)
    assert {c.unit for c in table} == {"rad", "rad/s", "Pa", "m", "N", "V"}


def test_the_scene_names_only_existing_channels_and_holds_the_machine() -> None:
    picture = scene(RIG)
    names = {c.name for c in channel_table(RIG)}
    assert {b["joint"]["channel"] for b in picture["bodies"]} <= names
    assert set(picture["cylinders"][0]["channels"].values()) <= names
    low, high = picture["bounds"]["min"], picture["bounds"]["max"]
    for anchor in picture["anchors"]:
        assert all(a <= x <= b for a, x, b in zip(low, anchor["at"], high, strict=True))
    assert {a["name"] for a in picture["anchors"]} == {"crank bearing", "rocker bearing", "cylinder bearing"}


def test_reading_a_description_loads_neither_numba_nor_scipy() -> None:
    script = (
        "import sys; from simcore import registry; from simcore.model import scene, channel_table; "
        "m = registry.get('four-bar-b').build(); scene(m); channel_table(m); "
        "sys.exit(any(name in sys.modules for name in ('numba', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_bad_element_of_the_netlist_is_refused_with_its_name() -> None:
    rig = oil_rigs.rig()
    pump, relief = rig.elements[0], rig.elements[1]
    assert isinstance(pump, Pump)

    def refused(message: str, **changes: object) -> None:
        with pytest.raises(BadMachine, match=message):
            compile(replace(rig, **changes))

    refused(r"ReliefValve 'relief' refers to 'sump'", elements=(pump, replace(relief, b="sump")))
    refused(r"relief\.coefficient = -1 .*more than zero", elements=(
        pump, replace(relief, coefficient=assumed(-1.0, "m³/(s √Pa)"))))  # fmt: skip
    refused(r"relief\.setting = nan Pa", elements=(pump, replace(relief, setting=assumed(math.nan, "Pa"))))
    refused("'relief' joins 'tank' to itself", elements=(pump, replace(relief, a="tank")))
    refused("'pump': a pump must have either a shaft or a speed", elements=(replace(pump, speed=None),))
    refused("Pump 'pump' refers to 'motor'", elements=(replace(pump, speed=None, shaft="motor"),))
    refused(r"pump\.mechanical_efficiency = 1\.2: must not exceed 1", elements=(
        replace(pump, mechanical_efficiency=assumed(1.2, "-")),))  # fmt: skip
    refused(
        "'supply' is not connected to a pressure source", elements=(), valves=(), cylinders=(), outputs=()
    )
    refused("name 'relief' is used 2 times", elements=(pump, relief, relief))
    falling = Curve((5.0, 3.0), (1e-8, 2e-8), "assumed")
    curves = replace(rig.valves[0], curves=(falling,) * 4)
    refused(r"valve: curve point \(3 V, 2e-08\): openings must rise", valves=(curves,))
    cold = replace(rig.volumes[0], start=assumed(400.0, "Pa"))
    refused("supply: 400 Pa: must be above the vapour pressure", volumes=(cold, *rig.volumes[1:]))
    area = replace(rig.cylinders[0], bore=assumed(-0.08, "m"))
    refused(r"cylinder\.bore = -0\.08 m: must be more than zero", cylinders=(area,))
