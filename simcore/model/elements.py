"""What a machine is made of. Data only: frozen, SI units, every number with its provenance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simcore.model.quantity import Quantity, Tensor, Vector

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
class Fluid:
    density: Quantity  # kg/m³
    bulk_modulus: Quantity  # Pa


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
    """Fixed throttle between two nodes, Q = C_d A √(2/ρ) sgn(Δp) √|Δp|."""

    name: str
    a: str
    b: str
    area: Quantity  # m²
    discharge: Quantity  # -
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class DirectionalValve:
    """4/3 valve with four equal edges Q = C U sgn(Δp) √|Δp| and a first-order spool."""

    name: str
    supply: str
    tank: str
    port_a: str
    port_b: str
    coefficient: Quantity  # m³/(s √Pa V)
    time_constant: Quantity  # s
    command_limit: Quantity  # V
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class BrownMcPhee:
    """Smooth Stribeck friction of the piston seal."""

    coulomb: Quantity  # N
    static: Quantity  # N
    stribeck_velocity: Quantity  # m/s
    viscous: Quantity  # N s/m


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Double-acting cylinder between two points; chamber A is on the piston side."""

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
    friction: BrownMcPhee | None


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


@dataclass(frozen=True, slots=True)
class ModelError:
    """How wrong the model is expected to be: white noise that the filter adds to its rates,

    and how far the true start may be from the nominal one.
    """

    acceleration: Quantity  # rad/s² per √Hz, on every independent joint
    pressure_rate: Quantity  # Pa/s per √Hz, on every volume
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
    links: tuple[Link, ...] = ()
