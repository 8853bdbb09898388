"""The circuit drawing: complete for every machine, the same every time, and no line runs through a symbol."""

from collections import Counter
from itertools import combinations

import pytest

from simcore import registry
from simcore.model.elements import Leakage, Machine
from simcore.model.virtual import with_virtual_sensors
from tests.unit.simcore.oil_rigs import metering_rig, rig
from twin.fleet.catalogue import build
from webui.machine.circuit import draw
from webui.machine.circuit.drawing import Drawing
from webui.machine.circuit.parts import BADGE, Box, Point

WITH_OIL = [name for name in registry.names() if build(name, {}).volumes]
MACHINES = {name: build(name, {}) for name in WITH_OIL}
MACHINES |= {"oil rig": with_virtual_sensors(rig()), "metering rig": with_virtual_sensors(metering_rig())}


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Machine:
    return MACHINES[request.param]


def drawn(machine: Machine) -> Drawing:
    drawing = draw(machine)
    assert drawing is not None
    return drawing


def test_there_are_machines_with_and_without_oil() -> None:
    assert {*registry.profiles(), "digger-rig"} <= set(WITH_OIL)
    assert draw(build("chain", {})) is None


def test_every_volume_is_drawn_once_with_its_pressure(machine: Machine) -> None:
    badges = drawn(machine).parts.badges
    assert Counter(badge.node for badge in badges) == Counter(volume.name for volume in machine.volumes)
    pressures = {o.element: o.name for o in machine.outputs if o.reads == "pressure"}
    assert {badge.node: badge.channel for badge in badges} == pressures


def test_every_valve_pump_throttle_and_cylinder_is_drawn_once(machine: Machine) -> None:
    """A valve with a counterbalance or a check inside has more symbols, but one 4/3 symbol."""
    inside = {"counterbalance", "check", "throttle"}
    valves = {valve.name for valve in machine.valves}
    found = Counter(
        symbol.element
        for symbol in drawn(machine).parts.symbols
        if symbol.kind not in ("tank", "source", "engine")
        and not (symbol.element in valves and symbol.kind in inside)
    )
    named = (*machine.valves, *machine.orifices, *machine.elements, *machine.cylinders)
    assert found == Counter(element.name for element in named)


def test_what_is_inside_a_valve_is_drawn_with_it() -> None:
    excavator = MACHINES["excavator"]
    symbols = Counter((s.element, s.kind) for s in drawn(excavator).parts.symbols)
    for valve in excavator.valves:
        assert symbols[valve.name, "check"] == int(valve.check_supply)
        assert symbols[valve.name, "counterbalance"] == (valve.hold_a is not None) + (
            valve.hold_b is not None
        )


def test_every_flow_that_has_a_channel_has_an_arrow(machine: Machine) -> None:
    elements = {e.name for e in (*machine.orifices, *machine.elements) if not isinstance(e, Leakage)}
    motors = {s.element for s in drawn(machine).parts.symbols if s.kind == "motor"}
    wanted = {o.name for o in machine.outputs if o.reads == "flow" and o.element in elements - motors}
    wanted |= {o.name for o in machine.outputs if o.reads in ("flow_a", "flow_b")}
    assert wanted <= {arrow.channel for arrow in drawn(machine).parts.arrows}


def boxes(drawing: Drawing) -> list[tuple[str, Box]]:
    half_width, half_height = BADGE
    found = [(f"{s.kind} {s.element}", s.box) for s in drawing.parts.symbols]
    return found + [
        (b.node, Box(b.x - half_width, b.y - half_height, b.x + half_width, b.y + half_height))
        for b in drawing.parts.badges
    ]


def passes_through(box: Box, a: Point, b: Point) -> bool:
    """Is any point of the line between a and b inside the box? Lines here go along an axis."""
    assert a[0] == b[0] or a[1] == b[1]
    low, high = (min(a[0], b[0]), min(a[1], b[1])), (max(a[0], b[0]), max(a[1], b[1]))
    slack = 0.5  # lines end on the edge of a symbol
    return (
        high[0] > box.left + slack
        and low[0] < box.right - slack
        and high[1] > box.top + slack
        and low[1] < box.bottom - slack
    )


def test_no_line_runs_through_a_symbol(machine: Machine) -> None:
    drawing = drawn(machine)
    own = {badge.node: badge for badge in drawing.parts.badges}
    offences = []
    for wire in drawing.parts.wires:
        for a, b in zip(wire.points, wire.points[1:], strict=False):
            for name, box in boxes(drawing):
                if name in own and name == wire.node:
                    continue  # the number stands on its own line
                if passes_through(box, a, b):
                    offences.append(f"{wire.node} {a} to {b} through {name}")
    assert offences == []


def test_symbols_and_numbers_do_not_overlap_and_are_in_the_picture(machine: Machine) -> None:
    drawing = drawn(machine)
    found = boxes(drawing)
    for (one, a), (other, b) in combinations(found, 2):
        apart = a.right <= b.left or b.right <= a.left or a.bottom <= b.top or b.bottom <= a.top
        assert apart, f"{one} lies on {other}"
    for name, box in found:
        inside = min(box.left, box.top) >= 0 and box.right <= drawing.width and box.bottom <= drawing.height
        assert inside, f"{name} is outside"


@pytest.mark.parametrize("name", WITH_OIL)
def test_actuators_are_above_valves_and_pumps_below(name: str) -> None:
    heights: dict[str, list[float]] = {}
    for symbol in drawn(MACHINES[name]).parts.symbols:
        heights.setdefault(symbol.kind, []).append(symbol.y)
    actuators = [y for kind in ("cylinder", "cylinder-short", "motor") for y in heights.get(kind, [])]
    feeding = [y for kind in ("pump", "variable-pump", "source") for y in heights.get(kind, [])]
    assert max(actuators) < min(heights["directional"]) <= max(heights["directional"]) < min(feeding)


def test_the_drawing_of_a_machine_never_varies(machine: Machine) -> None:
    assert draw.__wrapped__(machine) == draw.__wrapped__(machine)
