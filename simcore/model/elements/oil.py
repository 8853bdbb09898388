"""Elements of the oil circuit: volumes, sources, valves, pumps."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.model.quantity import Origin, Quantity


@dataclass(frozen=True, slots=True)
class Air:
    """Free air in the oil, which makes oil more compressible at low pressure."""

    fraction: Quantity  # of the volume, at the next pressure
    at_pressure: Quantity  # Pa absolute
    exponent: Quantity  # polytropic, 1 slow to 1.4 fast
    vapour_pressure: Quantity  # Pa absolute, of the oil


@dataclass(frozen=True, slots=True)
class Fluid:
    """Oil. Without air and pressure dependence its bulk modulus is constant, as in the published cases."""

    density: Quantity  # kg/m³
    bulk_modulus: Quantity  # Pa, at zero pressure where it stiffens
    stiffening: Quantity | None = None  # rise of the bulk modulus per pressure, -
    air: Air | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """Lumped volume of oil with one pressure; cylinder chambers add to the hose volume given here."""

    name: str
    label: str
    hose: Quantity  # m³
    hose_bulk_modulus: Quantity  # Pa
    start: Quantity  # pressure at t = 0, Pa absolute


@dataclass(frozen=True, slots=True)
class PressureSource:
    """Ideal pump or tank, whose pressure does not depend on flow."""

    name: str
    pressure: Quantity  # Pa absolute


@dataclass(frozen=True, slots=True)
class Orifice:
    """Fixed throttle between two nodes, Q = C_d A √(2/ρ) sgn(Δp) √|Δp|.

    smooth: no kink at the laminar transition; the published cases have a kink.
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
    """A valve port without its small volume: valve edge and throttle in series, without a pressure state.

    factors: published corrections of the throttle's flow for positive and negative spool. None: two orifices
    in series in closed form, which need no correction.
    """

    area: Quantity  # m²
    discharge: Quantity  # -
    factors: tuple[Quantity, Quantity] | None


@dataclass(frozen=True, slots=True)
class Curve:
    """Flow coefficient of a valve edge as a function of its opening, linear between (0, 0) and the points."""

    openings: tuple[float, ...]  # V, rising
    coefficients: tuple[float, ...]  # m³/(s √Pa)
    origin: Origin


@dataclass(frozen=True, slots=True)
class Holding:
    """Counterbalance built into a valve: oil leaves a port only if p + ratio p_other exceeds the setting."""

    setting: Quantity  # Pa above the tank
    ratio: Quantity  # pilot ratio, -
    span: Quantity  # Pa more until it is fully open


@dataclass(frozen=True, slots=True)
class DirectionalValve:
    """4/3 valve with four edges Q = C U sgn(Δp) √|Δp| and a first-order spool.

    curves: for the edges supply-A, B-tank, supply-B and A-tank. None: all four are proportional to the spool.
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
    hold_a: Holding | None = None  # between port A and the tank
    hold_b: Holding | None = None
    check_supply: bool = False  # load check: no oil flows back from a port to the supply


@dataclass(frozen=True, slots=True)
class TwoWayValve:
    """2/2 valve: normally closed, opened by a positive command."""

    name: str
    a: str
    b: str
    coefficient: Quantity  # m³/(s √Pa V)
    time_constant: Quantity  # s
    command_limit: Quantity  # V
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class ReliefValve:
    """Opens from a to b if the pressure difference exceeds the setting."""

    name: str
    a: str
    b: str
    setting: Quantity  # Pa, begins to open
    span: Quantity  # Pa more until it is fully open
    coefficient: Quantity  # m³/(s √Pa), fully open
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class CheckValve:
    """Lets oil flow from a to b only; between tank and a chamber it is an anti-cavitation valve."""

    name: str
    a: str
    b: str
    cracking: Quantity  # Pa, begins to open
    span: Quantity  # Pa more until it is fully open
    coefficient: Quantity  # m³/(s √Pa), fully open
    laminar_below: Quantity  # Pa


@dataclass(frozen=True, slots=True)
class CounterbalanceValve:
    """Holds a load: p_load + ratio p_pilot - p_outlet opens it; flow towards the load is free."""

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
    """Normally open; closes as p_high - p_low exceeds the setting, to keep the drop at a metering edge."""

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
    """Displacement control: follows a command between 0 and 1 with a lag."""

    time_constant: Quantity  # s


@dataclass(frozen=True, slots=True)
class Demand:
    """Part of a pump's displacement that the spool of a valve requests."""

    valve: str
    share: Quantity  # of the displacement at full stroke, -


@dataclass(frozen=True, slots=True)
class Pump:
    """Displacement pump from inlet to outlet, driven by the joint of a body or at a given speed.

    If pressure drives it, it works as a motor.

    Its efficiencies apply to full displacement at rated speed and pressure rise. They are converted to an
    internal leak and to a loss torque in proportion to the pressure.
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
    demands: tuple[Demand, ...] = ()  # positive control: displacement by the spools, at most the whole
    power_limit: Quantity | None = None  # W at the rated speed; beyond it the displacement falls


Element = TwoWayValve | ReliefValve | CheckValve | CounterbalanceValve | Compensator | Leakage | Pump
