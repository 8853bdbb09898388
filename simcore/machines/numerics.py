"""Solver settings and expected model errors that all machine models share."""

from __future__ import annotations

from simcore.model.elements import ModelError, Solver
from simcore.model.quantity import assumed

SOLVER = Solver(
    penalty=assumed(1e11, "N/m", "as in the published cases"),
    position_tolerance=assumed(1e-6, "rad", "an order of magnitude below the error of a 1 ms step"),
    pressure_tolerance=assumed(
        5e3, "Pa", "as for positions; limits the last increment, most of which is correct"
    ),
    friction_tolerance=assumed(1e-6, "m", "as for positions: 5 N"),
    max_iterations=20,
    torque_tolerance=assumed(0.1, "N m", "a thousandth of a small load of the engine"),
    fill_tolerance=assumed(2.5e-5, "m³", "50 g of soil"),
    tolerance_step=assumed(1e-3, "s", "the step of the error that the tolerances are compared with"),
    enclosed=True,
)
# each machine adds its own: dataclasses.replace(MODEL_ERROR, ...)
MODEL_ERROR = ModelError(
    acceleration=assumed(0.03, "rad/s²/√Hz", "friction and play"),
    pressure_rate=assumed(1.5e6, "Pa/s/√Hz", "bulk modulus and flows are known to a few per cent"),
    input_fresh=assumed(0.05, "s", "one lost sample of 50 Hz telemetry, and some jitter"),
    input_memory=assumed(3.0, "s", "an operator's stroke lasts about that long"),
    start_position=assumed(0.05, "rad"),
    start_rate=assumed(0.05, "rad/s"),
    start_pressure=assumed(2e6, "Pa"),
    torque_memory=assumed(5.0, "s", "until the next stroke"),
    torque_fades=True,
    weight_memory=assumed(1e4, "s", "steel is constant; mud and tools change within hours"),
    valve_gain=assumed(0.1, "-", "a valve's flow is known to a tenth"),
    bias_memory=assumed(100.0, "s", "slower than any movement"),
    angle_error=assumed(5e-3, "rad", "zero point of an encoder, set by eye at a mark: 0.3 degrees"),
    length_error=assumed(5e-3, "m", "zero point of a draw wire and a tenth of a per cent of its length"),
    pressure_error=assumed(2e5, "Pa", "half a per cent of a gauge's range of 400 bar"),
    pressure_delay=assumed(0.02, "s", "filter of a pressure sensor and one cycle of its bus"),
    sensor_memory=assumed(1e4, "s", "zero points change with temperature and repairs, within hours"),
    pump_delivery=assumed(0.05, "-", "displacement and losses of a pump are known to a twentieth"),
    oil_stiffness=assumed(0.1, "-", "temperature and finely spread air change it by a tenth"),
    dead_band=assumed(0.02, "-", "overlap of a proportional valve's edges"),
    command_lag=assumed(0.015, "s", "spool, driver and clock of the commands"),
    cause_memory=assumed(1e3, "s", "oil warms in a quarter of an hour; pumps wear in months"),
)
