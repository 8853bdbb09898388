"""What a machine is made of. Data only: frozen, SI units, every number with its provenance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simcore.model.quantity import Origin, Quantity, Tensor, Vector

GROUND = "ground"

Axis = tuple[float, float, float]
Role = Literal["sensor", "input", "estimate", "model"]
Reads = Literal["angle", "rate", "pressure", "length", "force", "command", "spool"]


@dataclass(frozen=True, slots=True)
class Revolute:
    """Hinge that joins a body to its parent; the body's frame has its origin on the hinge."""

    parent: str
    at: Vector  # in the parent's frame, m
    axis: Axis  # unit vector, the same in both frames
    start: Quantity  # relative angle at t = 0, rad
    rate: Quantity  # relative rate at t = 0, rad/s


@dataclass(frozen=True, slots=True)
class Prismatic:
    """Slide along an axis: the body's frame keeps the parent's directions."""

    parent: str
    at: Vector  # origin of the body's frame at displacement zero, in the parent's frame, m
    axis: Axis  # unit vector, the same in both frames
    start: Quantity  # displacement at t = 0, m
    rate: Quantity  # m/s


@dataclass(frozen=True, slots=True)
class Cylindrical:
    """Turns about an axis and slides along it. Coordinates: angle, displacement."""

    parent: str
    at: Vector  # in the parent's frame, m
    axis: Axis
    start: Quantity  # angle at t = 0, rad
    rate: Quantity  # rad/s
    slide_start: Quantity  # displacement at t = 0, m
    slide_rate: Quantity  # m/s


@dataclass(frozen=True, slots=True)
class Universal:
    """Cross joint: turns about an axis of the parent, then about one that moves with the first turn."""

    parent: str
    at: Vector  # in the parent's frame, m
    axis_first: Axis  # fixed to the parent
    axis_second: Axis  # fixed to the body; both in directions of the zero position
    start: Quantity  # first angle at t = 0, rad
    rate: Quantity  # rad/s
    second_start: Quantity  # rad
    second_rate: Quantity  # rad/s


@dataclass(frozen=True, slots=True)
class Spherical:
    """Ball joint. Velocities: relative angular velocity along the parent's axes."""

    parent: str
    at: Vector  # in the parent's frame, m
    turn: Vector  # rotation vector of the body relative to its parent at t = 0, rad
    rate: Vector  # rad/s, along the parent's axes


@dataclass(frozen=True, slots=True)
class Floating:
    """No joint at all. Velocities: along the parent's axes, then angular velocity along them."""

    parent: str
    at: Vector  # origin of the body's frame at t = 0, in the parent's frame, m
    turn: Vector  # rotation vector relative to the parent at t = 0, rad
    velocity: Vector  # of the frame's origin, m/s
    rate: Vector  # rad/s


@dataclass(frozen=True, slots=True)
class Fixed:
    """Weld: mass and points become the parent's when the machine is compiled."""

    parent: str
    at: Vector  # in the parent's frame, m
    turn: Vector  # rotation vector relative to the parent, rad


Joint = Revolute | Prismatic | Cylindrical | Universal | Spherical | Floating | Fixed


@dataclass(frozen=True, slots=True)
class Beam:
    """How a body looks: a bar from the origin of its frame along x."""

    length: Quantity  # m
    width: Quantity  # m
    depth: Quantity  # m


@dataclass(frozen=True, slots=True)
class Body:
    """Rigid body and the joint that carries it."""

    name: str
    joint: Joint
    mass: Quantity  # kg
    centre: Vector  # centre of mass in the body's frame, m
    inertia: Vector | Tensor  # about the centre of mass in body axes: principal moments or all six, kg m²
    shape: Beam


@dataclass(frozen=True, slots=True)
class Mount:
    """A point fixed to a body."""

    body: str
    at: Vector  # in the body's frame, m


@dataclass(frozen=True, slots=True)
class CutRevolute:
    """Hinge that closes a loop: kept as constraint equations, not as a coordinate."""

    name: str
    a: Mount
    b: Mount
    axis_a: Axis
    axis_b: Axis


@dataclass(frozen=True, slots=True)
class CutSpherical:
    """Ball joint that closes a loop: the two points coincide."""

    name: str
    a: Mount
    b: Mount


@dataclass(frozen=True, slots=True)
class CutTranslational:
    """Slide that closes a loop: point b stays on the axis through a, and the bodies do not turn."""

    name: str
    a: Mount
    b: Mount
    axis_a: Axis  # the slide, in each body's directions
    axis_b: Axis
    axis_side_a: Axis  # a direction across the slide, in each body's directions; the two stay parallel
    axis_side_b: Axis


@dataclass(frozen=True, slots=True)
class PointOnLine:
    """Point b stays on the line through a along the axis, which is fixed to body a."""

    name: str
    a: Mount
    b: Mount
    axis_a: Axis


@dataclass(frozen=True, slots=True)
class Rod:
    """Massless rod with ball joints at its ends: the distance of the two points is constant."""

    name: str
    a: Mount
    b: Mount
    length: Quantity  # m


Loop = CutRevolute | CutSpherical | CutTranslational | PointOnLine | Rod


@dataclass(frozen=True, slots=True)
class Spring:
    """Spring and damper along the line between two points: pull = k (s - s_0) + c ds/dt."""

    name: str
    a: Mount
    b: Mount
    stiffness: Quantity  # N/m
    damping: Quantity  # N s/m
    free_length: Quantity  # s_0, m


@dataclass(frozen=True, slots=True)
class Push:
    """Constant force on a point of body b; its reaction acts on body a at the same place."""

    name: str
    a: str
    b: Mount
    force: Vector  # N
    follows: str  # body whose axes the force is fixed to; the ground for a constant direction


@dataclass(frozen=True, slots=True)
class Twist:
    """Constant torque on body b; its reaction acts on body a."""

    name: str
    a: str
    b: str
    torque: Vector  # N m
    follows: str  # body whose axes the torque is fixed to


@dataclass(frozen=True, slots=True)
class JointSpring:
    """Spring and damper in the joint that carries a body, on each of its coordinates.

    A stiffness needs a joint with one coordinate; a damper alone goes with any.
    """

    name: str
    body: str
    stiffness: Quantity  # N m/rad, or N/m in a slide
    damping: Quantity  # N m s/rad, or N s/m
    rest: Quantity  # coordinate without torque, rad or m


Link = Spring | Push | Twist | JointSpring


@dataclass(frozen=True, slots=True)
class Air:
    """Free air in the oil: what makes a low pressure soft."""

    fraction: Quantity  # of the volume, at the next pressure
    at_pressure: Quantity  # Pa absolute
    exponent: Quantity  # polytropic, 1 slow to 1.4 fast
    vapour_pressure: Quantity  # Pa absolute, of the oil


@dataclass(frozen=True, slots=True)
class Fluid:
    """Oil. Without air and stiffening its bulk modulus is constant, as in the published cases."""

    density: Quantity  # kg/m³
    bulk_modulus: Quantity  # Pa, at zero pressure where it stiffens
    stiffening: Quantity | None = None  # rise of the bulk modulus per pressure, -
    air: Air | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """Lumped volume of oil: one pressure. Chambers of cylinders add to the hose given here."""

    name: str
    label: str
    hose: Quantity  # m³
    hose_bulk_modulus: Quantity  # Pa
    start: Quantity  # pressure at t = 0, Pa absolute


@dataclass(frozen=True, slots=True)
class PressureSource:
    """Ideal pump or tank: a pressure that no flow changes."""

    name: str
    pressure: Quantity  # Pa absolute


@dataclass(frozen=True, slots=True)
class Orifice:
    """Fixed throttle between two nodes, Q = C_d A √(2/ρ) sgn(Δp) √|Δp|.

    smooth: no kink where it turns laminar; the published cases have one.
    """

    name: str
    a: str
    b: str
    area: Quantity  # m²
    discharge: Quantity  # -
    laminar_below: Quantity  # Pa
    smooth: bool = False


@dataclass(frozen=True, slots=True)
class Throttled:
    """A port whose small volume is left out: valve edge and throttle in series, without a pressure between.

    factors: published corrections of the throttle's flow for positive and negative spool; None takes the
    closed form of two orifices in series, which needs none.
    """

    area: Quantity  # m²
    discharge: Quantity  # -
    factors: tuple[Quantity, Quantity] | None


@dataclass(frozen=True, slots=True)
class Curve:
    """Flow coefficient of a valve edge over its opening, straight between the points, from (0, 0)."""

    openings: tuple[float, ...]  # V, rising
    coefficients: tuple[float, ...]  # m³/(s √Pa)
    origin: Origin


@dataclass(frozen=True, slots=True)
class DirectionalValve:
    """4/3 valve with four edges Q = C U sgn(Δp) √|Δp| and a first-order spool.

    curves: of the edges supply-A, B-tank, supply-B and A-tank; None: all four proportional to the spool.
    """

    name: str
    supply: str
    tank: str
    port_a: str
    port_b: str
    coefficient: Quantity  # m³/(s √Pa V)
    time_constant: Quantity  # s
    command_limit: Quantity  # V
    laminar_below: Quantity  # Pa
    throttled_a: Throttled | None = None  # a throttle behind port A whose volume is left out
    curves: tuple[Curve, Curve, Curve, Curve] | None = None
    smooth: bool = False


@dataclass(frozen=True, slots=True)
class TwoWayValve:
    """2/2 valve: shut at rest, opened by a positive command."""

    name: str
    a: str
    b: str
    coefficient: Quantity  # m³/(s √Pa V)
    time_constant: Quantity  # s
    command_limit: Quantity  # V
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class ReliefValve:
    """Opens from a to b where the difference of their pressures exceeds the setting."""

    name: str
    a: str
    b: str
    setting: Quantity  # Pa, begins to open
    span: Quantity  # Pa more until it is fully open
    coefficient: Quantity  # m³/(s √Pa), fully open
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class CheckValve:
    """Lets oil pass from a to b only; between tank and a chamber it is an anti-cavitation valve."""

    name: str
    a: str
    b: str
    cracking: Quantity  # Pa, begins to open
    span: Quantity  # Pa more until it is fully open
    coefficient: Quantity  # m³/(s √Pa), fully open
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class CounterbalanceValve:
    """Holds a load: opens from load to outlet with p_load + ratio p_pilot - p_outlet; free the other way."""

    name: str
    load: str
    outlet: str
    pilot: str
    setting: Quantity  # Pa
    ratio: Quantity  # pilot ratio, -
    span: Quantity  # Pa
    coefficient: Quantity  # m³/(s √Pa), fully open
    check_cracking: Quantity  # Pa, of the free direction
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class Compensator:
    """Normally open; shuts as p_high - p_low passes the setting: keeps the drop over a metering edge."""

    name: str
    a: str
    b: str
    high: str
    low: str
    setting: Quantity  # Pa, begins to shut
    span: Quantity  # Pa more until it is shut
    coefficient: Quantity  # m³/(s √Pa), fully open
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class Leakage:
    """Laminar gap between two nodes, Q = G Δp."""

    name: str
    a: str
    b: str
    conductance: Quantity  # m³/(s Pa)


@dataclass(frozen=True, slots=True)
class Control:
    """Displacement that follows a command between 0 and 1 with a lag."""

    time_constant: Quantity  # s


@dataclass(frozen=True, slots=True)
class Pump:
    """Displacement pump from inlet to outlet, turned by a body's joint or at a given speed.

    Its efficiencies hold at full displacement at the rated speed and pressure rise; they become a leak across
    it and a torque in proportion to the pressure.
    """

    name: str
    inlet: str
    outlet: str
    displacement: Quantity  # m³/rad
    shaft: str | None  # body on a revolute joint
    speed: Quantity | None  # rad/s, instead of a shaft
    volumetric_efficiency: Quantity  # -
    mechanical_efficiency: Quantity  # -
    rated_speed: Quantity  # rad/s
    rated_pressure: Quantity  # Pa
    control: Control | None = None  # None: fixed displacement


Element = TwoWayValve | ReliefValve | CheckValve | CounterbalanceValve | Compensator | Leakage | Pump


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Seal that takes a share of the hydraulic force.

    turn_velocity None: F_h (1 - η) v as printed, which can push along the motion; else the passive form
    |F_h| (1 - η) tanh(v / turn_velocity).
    """

    efficiency: Quantity  # -
    turn_velocity: Quantity | None = None  # m/s


@dataclass(frozen=True, slots=True)
class BengisuAkay:
    """Parabola up to the Stribeck velocity, then exponential decay with viscous drag."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m
    shape: Quantity  # s/m


@dataclass(frozen=True, slots=True)
class BrownMcPhee:
    """Smooth Stribeck friction of the piston seal."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m


@dataclass(frozen=True, slots=True)
class LuGre:
    """Bristles that bend before they slide: one state of the seal, m."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m
    exponent: Quantity  # of the Stribeck curve
    bristle_stiffness: Quantity  # N/m
    bristle_damping: Quantity  # N s/m


@dataclass(frozen=True, slots=True)
class ModifiedLuGre:
    """LuGre with a lubricant film that builds up and decays: two states of the seal, m and -."""

    bristles: LuGre
    film_velocity: Quantity  # m/s, where the film is fully there
    film_build: Quantity  # s
    film_decay: Quantity  # s
    film_dwell: Quantity  # s, at rest


Friction = Efficiency | BengisuAkay | BrownMcPhee | LuGre | ModifiedLuGre


@dataclass(frozen=True, slots=True)
class EndDamper:
    """Spring and damper before either end of the stroke."""

    length: Quantity  # m
    stiffness: Quantity  # N/m
    damping: Quantity  # N s/m, at the very end


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Cylinder between two points; chamber A is on the piston side.

    A chamber may be a pressure source: single-acting, open to the tank or to the air.
    """

    name: str
    base: Mount
    rod: Mount
    chamber_a: str
    chamber_b: str
    bore: Quantity  # m
    rod_diameter: Quantity  # m
    tube_length: Quantity  # m; the two chambers share it
    reference_length: Quantity  # distance of the mounts at which chamber A has the next length, m
    chamber_a_at_reference: Quantity  # m
    wall_bulk_modulus: Quantity  # Pa
    friction: Friction | None
    end_damper: EndDamper | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A quantity of the machine that has a channel."""

    name: str
    label: str
    reads: Reads
    element: str
    role: Role
    noise: Quantity | None = None  # standard deviation of the sensor, unit of the channel


@dataclass(frozen=True, slots=True)
class Solver:
    """Settings of the implicit step."""

    penalty: Quantity  # N/m per constraint row
    position_tolerance: Quantity  # rad
    pressure_tolerance: Quantity  # Pa
    max_iterations: int
    spool: Literal["implicit", "euler"] = "implicit"  # how spools are advanced
    increment: Literal["each", "norm"] = "each"  # what must fall below the tolerances


@dataclass(frozen=True, slots=True)
class ModelError:
    """How wrong the model is expected to be: white noise that the filter adds to its rates,

    how long an input is known that nobody repeats, and how far the true start may be from the nominal one.
    """

    acceleration: Quantity  # rad/s² per √Hz, on every independent joint
    pressure_rate: Quantity  # Pa/s per √Hz, on every volume
    input_fresh: Quantity  # s; a command older than this is unknown
    input_memory: Quantity  # s; correlation time of an unknown command
    start_position: Quantity  # rad
    start_rate: Quantity  # rad/s
    start_pressure: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class Machine:
    """A complete machine. Construct it through a case, or by hand; `check` says what is wrong with it."""

    name: str
    gravity: Vector  # m/s²
    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    independent: tuple[str, ...]  # bodies whose joints determine all others; none named: chosen by pivoting
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
