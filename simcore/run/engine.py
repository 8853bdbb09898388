"""Engine: a compiled machine with its state, shared by simulation and estimation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from simcore.errors import BadChannel, Diverged, SimcoreError
from simcore.formulation.evaluate import evaluate
from simcore.formulation.index1 import settle_index1
from simcore.formulation.partition import settle
from simcore.integrate.advance import COUNTERS, HALVED, ITERATIONS, MOST, STEPS, TROUBLE
from simcore.kernels.direct import direct
from simcore.messages import Message
from simcore.model.channels import channel_table
from simcore.model.compiler import compile, start_state
from simcore.model.condition import make_condition
from simcore.model.elements import Machine
from simcore.model.frictions import laws, states
from simcore.model.geometry import rotation_vector_of
from simcore.model.loop_rows import redundant_loops
from simcore.model.plan import COMMAND
from simcore.model.tree import expand
from simcore.model.workspace import Array, make_workspace
from simcore.multibody.rotations import keep_attitudes
from simcore.run.outputs import read_channels

_MOST_NAMES = 3  # of loops in a message
_SINGULAR = 0.02  # smallest over largest singular value of the loop equations


class Engine:
    """Plan, condition, state, scratch memory and counters of one machine."""

    def __init__(self, machine: Machine, dt: float, published: bool = False) -> None:
        if not (math.isfinite(dt) and 0 < dt <= 0.1):
            raise SimcoreError(f"dt = {dt} s: must be more than 0 s and at most 0.1 s")
        self.machine = machine
        self.dt = dt
        self.plan = compile(machine, published, dt)
        self.condition = make_condition(self.plan)
        self.owners = [single.owner for single in expand(machine).singles]  # of the coordinates
        self.workspace = make_workspace(self.plan, self.condition)
        self.channels = channel_table(machine)
        self.index = {channel.name: i for i, channel in enumerate(self.channels)}
        self.state = start_state(machine, self.plan)
        self.counters = np.zeros(COUNTERS)
        self.settle(self.state)

    def settle(self, state: Array) -> None:
        """Make a state consistent; refuse a state whose loops cannot be closed."""
        closed = True
        if self.plan.head[0]["redundant"]:
            settle_index1(self.plan, state, self.workspace)
        else:
            closed = settle(self.plan, state, self.workspace)
        if not closed or not np.all(np.isfinite(state)):
            raise Diverged(self.time, Message("model.linkage"))
        keep_attitudes(self.plan, state)

    def refuse_redundant(self, what: str) -> None:
        """Refuse redundant loop equations, which coordinate partitioning cannot handle."""
        if self.plan.head[0]["redundant"]:
            names = ", ".join(repr(name) for name in redundant_loops(self.machine))
            raise SimcoreError(
                f"{what} does not support redundant loop equations: {int(self.plan.head[0]['redundant'])} "
                f"equations of {names} follow from the others; use the penalty formulation or free a joint"
            )

    @property
    def steps(self) -> int:
        return int(self.counters[STEPS])

    @property
    def time(self) -> float:
        """Time since the start, s."""
        return self.steps * self.dt

    def coordinates(self) -> Array:
        """Coordinates of the described joints; a ball joint has a rotation vector."""
        head, bodies = self.plan.head[0], self.plan.bodies
        z = self.state[head["at_z"] : head["at_q"]].copy()
        for k in np.flatnonzero(bodies["ball"] >= 0):
            at = int(head["at_q"] + 4 * bodies["ball"][k])
            z[k - 3 : k] = bodies["axis"][k - 2 : k + 1] @ rotation_vector_of(self.state[at : at + 4])
        return np.asarray(z)

    def command(self, inputs: Mapping[str, float]) -> None:
        """Set commands by channel name; they stay until they are set again."""
        self.refuse_no_input(inputs)
        for name, value in inputs.items():
            channel = self.plan.channels[self.position(name)]
            self.state[self.plan.head[0]["at_c"] + channel["index"]] = finite(name, value)

    def refuse_no_input(self, names: Iterable[str]) -> None:
        """Refuse channels that are not commands."""
        for name in names:
            if self.plan.channels[self.position(name)]["kind"] != COMMAND:
                raise BadChannel(f"channel {name!r} is not an input")

    def position(self, name: str) -> int:
        """Place of a channel in the table."""
        if name not in self.index:
            raise BadChannel(f"unknown channel {name!r}; known: {', '.join(self.index)}")
        return self.index[name]

    def read(self) -> Array:
        """Every channel, in the order of the channel table."""
        out = np.empty(len(self.channels))
        seen = self.plan, self.state, self.workspace
        direct(evaluate, *seen)(*seen)
        direct(read_channels, *seen, out)(*seen, out)
        return out

    def diverged(self) -> Diverged:
        """The error that the counters indicate."""
        parts = [("model.joint", owner) for owner in self.owners]
        parts += [("model.pressure", v.name) for v in self.machine.volumes]
        for name, law in laws(self.machine):
            parts += [("model.friction", name)] * states(law)
        parts += [("model.torque", e.name) for e in self.machine.diesels]
        parts += [("model.fill", d.name) for d in self.machine.digging]
        parts += [("model.stroke", c.name) for c in self.machine.cylinders]
        code, part = parts[int(self.counters[TROUBLE]) - 1]
        last = dict(zip(self.index, (float(x) for x in self.read()), strict=True))
        if code == "model.joint" and self._is_singular():
            code, part = "model.singular", ", ".join([loop.name for loop in self.machine.loops][:_MOST_NAMES])
        return Diverged(self.time, Message(code, {"part": part}), last)

    def _is_singular(self) -> bool:
        """Whether the linkage is so close to a singular position that its motion is not determined."""
        rows = int(self.plan.head[0]["rows"])
        if not rows or self.plan.head[0]["redundant"]:
            return False
        sizes = np.linalg.svd(self.workspace.jac[:rows], compute_uv=False)
        return bool(sizes[-1] < _SINGULAR * sizes[0])

    def newton(self) -> dict[str, float]:
        """Newton iterations per step, and steps that had to be divided."""
        return {
            "mean": float(self.counters[ITERATIONS]) / max(1, self.steps),
            "max": float(self.counters[MOST]),
            "failed_steps": float(self.counters[HALVED]),
        }


def finite(name: str, value: float) -> float:
    """A reading as a float; NaN and infinity are refused."""
    number = float(value)
    if not math.isfinite(number):
        raise BadChannel(f"channel {name!r}: {number} is not a finite number")
    return number
