"""Describes a whole machine with its channels, solver settings and expected model error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simcore.model.elements.bodies import Body
from simcore.model.elements.cylinders import Cylinder
from simcore.model.elements.diesel import Diesel
from simcore.model.elements.links import Link
from simcore.model.elements.loops import Loop
from simcore.model.elements.oil import DirectionalValve, Element, Fluid, Orifice, PressureSource, Volume
from simcore.model.elements.soil import Digging
from simcore.model.quantity import Quantity, Vector, assumed, printed

Role = Literal["sensor", "input", "estimate", "model"]
# angle, rate: of a hinge; slide, slide_rate: of a slide; both relative to the parent. inclination: of a
# body's x axis above the horizontal, -π/2 to π/2; spin: of a hinged body about its hinge, to the ground
Reads = Literal[
    "angle",
    "rate",
    "slide",
    "slide_rate",
    "pressure",
    "length",
    "force",
    "command",
    "spool",
    "inclination",
    "spin",
    "flow",  # through an element of the oil side, or out of a pressure source
    "flow_a",  # out of a directional valve into its port A
    "flow_b",
    "power",  # hydraulic: into a rod, out of a pump or a pressure source
    "speed",  # of a shaft, where "rate" is that of a joint
    "torque",  # of a diesel engine
    "fuel",  # that a diesel engine burns
    "fill",  # of a bucket
    "digging",  # resistance at the edge of a bucket
    "height",  # of the edge of a bucket, or of the centre of a body, over the origin against gravity
    "tool_speed",  # of the edge of a bucket, or of the centre of a body, in any direction
    "payload",  # mass that a body carries, with the soil in the buckets
    "reaction",  # force in the joint that carries a body, across its axis
    "loop_reaction",  # force in a joint that closes a loop, across its axis
    "rod_reaction",  # force in the pins of a cylinder
]


@dataclass(frozen=True, slots=True)
class Output:
    """A quantity of the machine that has a channel."""

    name: str
    label: str
    reads: Reads
    element: str
    role: Role
    noise: Quantity | None = None  # standard deviation of the sensor, unit of the channel


_FRICTION_TOLERANCE = printed(1e-7, "m", "Jaiswal 2021, II")
_TORQUE_TOLERANCE = assumed(0.01, "N m")
_FILL_TOLERANCE = assumed(1e-5, "m³")


@dataclass(frozen=True, slots=True)
class Solver:
    """Settings of the implicit step."""

    penalty: Quantity  # N/m per constraint row
    position_tolerance: Quantity  # rad
    pressure_tolerance: Quantity  # Pa
    max_iterations: int
    friction_tolerance: Quantity = _FRICTION_TOLERANCE  # of bristles m, of films -
    spool: Literal["implicit", "euler"] = "implicit"  # how spools are advanced
    increment: Literal["each", "norm"] = "each"  # each increment or their norm must fall below the tolerances
    torque_tolerance: Quantity = _TORQUE_TOLERANCE  # N m, of engines
    fill_tolerance: Quantity = _FILL_TOLERANCE  # m³, of buckets
    # s; the step that the tolerances are meant for: like the error of the rule, they grow with the square of
    # the step. None: the same at every step
    tolerance_step: Quantity | None = None
    enclosed: bool = False  # an unknown whose increments turn back is enclosed from both sides


@dataclass(frozen=True, slots=True)
class Payload:
    """What a machine carries: the mass of one of its bodies, concentrated at that body's centre.

    It is constant until something is picked up or put down; after that it is unknown again.
    """

    body: str
    known: Quantity  # kg, standard deviation at the start
    change: Quantity  # kg, standard deviation of what is picked up or put down at once
    # judge the load by its weight alone: how a bouncing boom responds to its inertia depends just as much on
    # the stiffness of the oil, which may be unknown
    by_weight: bool = False


@dataclass(frozen=True, slots=True)
class ModelError:
    """Expected errors of the model, as standard deviations.

    White noise that the filter adds to the rates, the time for which a command stays known without a new
    sample, and the uncertainty of the start.
    """

    acceleration: Quantity  # rad/s² per √Hz, on every independent joint
    pressure_rate: Quantity  # Pa/s per √Hz, on every volume
    input_fresh: Quantity  # s; a command older than this is unknown
    input_memory: Quantity  # s; time within which an unknown command returns to neutral
    start_position: Quantity  # rad
    start_rate: Quantity  # rad/s
    start_pressure: Quantity  # Pa
    engine_torque: Quantity | None = None  # N m/s per √Hz, on the torque of every diesel engine
    # slow errors that a twin learns: standard deviations, and the time constants of their changes
    unexplained_torque: Quantity | None = None  # N m, on independent hinges
    unexplained_force: Quantity | None = None  # N, on independent slides
    unexplained_on: tuple[str, ...] = ()  # their bodies; empty: all
    torque_memory: Quantity | None = None  # s, of the torque; None: bias_memory
    torque_fades: bool = False  # it decays to zero, as friction does, instead of drifting to another value
    weight: Quantity | None = None  # share of the mass of the bodies in weight_on
    weight_on: tuple[str, ...] = ()
    weight_memory: Quantity | None = None  # s
    valve_gain: Quantity | None = None  # share of the flow through every valve
    supply_pressure: Quantity | None = None  # Pa, of every source that feeds a valve
    pump_delivery: Quantity | None = None  # share of the flow of every pump that draws from a tank
    oil_stiffness: Quantity | None = None  # share of the oil's bulk modulus, free air included
    dead_band: Quantity | None = None  # of all valves together, share of the full travel of a spool
    leakage: Quantity | None = None  # m³/(s Pa), across the pistons of the cylinders in leakage_on
    leakage_on: tuple[str, ...] = ()
    command_lag: Quantity | None = None  # s, by which all spools follow their commands later
    relief_setting: Quantity | None = None  # Pa, of the relief valves in relief_on
    relief_on: tuple[str, ...] = ()
    governor_speed: Quantity | None = None  # rad/s, of engines without load
    cause_memory: Quantity | None = None  # s, of the errors from pump_delivery to governor_speed
    payload: Payload | None = None
    bias_memory: Quantity | None = None  # s
    least_rate: Quantity | None = None  # Hz; with fewer samples, fast quantities are poorly known
    # constant errors of sensors, by what they measure
    angle_error: Quantity | None = None  # rad
    length_error: Quantity | None = None  # m
    pressure_error: Quantity | None = None  # Pa
    pressure_delay: Quantity | None = None  # s; pressures are stamped later or earlier than taken, all alike
    sensor_memory: Quantity | None = None  # s, of these errors and of the delay


@dataclass(frozen=True, slots=True)
class Machine:
    """A complete machine, made by a case or by hand. `check` refuses an impossible one with the reason."""

    name: str
    gravity: Vector  # m/s²
    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    independent: tuple[str, ...]  # bodies whose joints determine all others; empty: chosen by pivoting
    fluid: Fluid
    volumes: tuple[Volume, ...]
    sources: tuple[PressureSource, ...]
    orifices: tuple[Orifice, ...]
    valves: tuple[DirectionalValve, ...]
    cylinders: tuple[Cylinder, ...]
    outputs: tuple[Output, ...]
    solver: Solver
    model_error: ModelError
    elements: tuple[Element, ...] = ()  # the rest of the netlist
    links: tuple[Link, ...] = ()
    diesels: tuple[Diesel, ...] = ()
    digging: tuple[Digging, ...] = ()
