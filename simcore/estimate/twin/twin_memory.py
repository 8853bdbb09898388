"""Memory of a live twin: one array for all that later steps depend on, and the groups of its kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.estimate.biases import load_steps
from simcore.estimate.filter_arrays import JACOBIAN_COLUMNS, FilterState
from simcore.estimate.initialise.from_sample import start_sigmas
from simcore.estimate.linearise.sensor_errors import delayed_pressures
from simcore.estimate.monitor.causes import Causes
from simcore.estimate.monitor.innovation_monitor import PREFIT, STATUS, Monitor
from simcore.estimate.monitor.load_signature import CANDIDATES, EVIDENCE
from simcore.estimate.monitor.sensor_monitor import SensorMonitor
from simcore.estimate.twin.flat_memory import allocate
from simcore.estimate.twin.sample_rate import RATE
from simcore.integrate.advance import COUNTERS
from simcore.model.plan import Records
from simcore.model.workspace import Array
from simcore.run.engine import Engine


class TwinMemory(NamedTuple):
    """Everything that is saved, restored and dumped together, and parts of it."""

    whole: Array
    estimate: FilterState
    monitor: Monitor
    rate: Array  # of the telemetry (sample_rate.py)


def make_memory(
    engine: Engine,
    biases: Records,
    sensor_monitor: SensorMonitor,
    causes: Causes,
    hanging: list[int],
) -> TwinMemory:
    """Allocate the memory and move the state of engine and monitors into it."""
    states, channels = int(engine.plan.head[0]["states"]), len(engine.channels)
    m, rows, valves = states + len(biases), states + channels, int(engine.plan.head[0]["valves"])
    whole, part = allocate(
        {
            "biases": (len(biases),),
            "state": (len(engine.state),),
            "covariance": (m, m),
            "input_cross_cov": (m, 2 * valves + CANDIDATES),
            "evidence": (CANDIDATES, EVIDENCE),
            "input_ages": (valves,),
            "rate": (RATE,),
            "counters": (COUNTERS,),
            "innovations": (channels, 2),
            "prefit": (channels, PREFIT),
            "status": (STATUS,),
            "sensor_monitor": (sensor_monitor.size,),
            "causes": (causes.size,),
            "averaged": delayed_pressures(engine.plan, biases).shape,
            "jacobian": (2, rows, m + JACOBIAN_COLUMNS),
        },
        scratch=rows * (m + JACOBIAN_COLUMNS),
    )
    engine.state, engine.counters = part["state"], part["counters"]
    sensor_monitor.move_into(part["sensor_monitor"])
    causes.move_into(part["causes"])
    estimate = FilterState(
        *(part[name] for name in ("state", "covariance", "jacobian", "input_cross_cov", "input_ages")),
        *(part[name] for name in ("innovations", "counters", "averaged")),
    )
    heard = np.array([engine.position(s.channel) for s in sensor_monitor.sensors], dtype=np.int64)
    monitor = Monitor(
        memory=whole,
        backup=np.zeros_like(whole),
        biases=part["biases"],
        status=part["status"],
        prefit=part["prefit"],
        spread=np.append(start_sigmas(engine), load_steps(engine.machine, biases)),
        channels=heard,
        report=np.zeros((3, len(heard))),
        sensors=sensor_monitor.rows,
        overall=sensor_monitor.overall,
        hanging=np.array(hanging, dtype=np.int64),
        evidence=part["evidence"],
    )
    return TwinMemory(whole, estimate, monitor, part["rate"])
