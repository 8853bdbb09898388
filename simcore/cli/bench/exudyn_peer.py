"""Simulates machines in Exudyn. One solver call performs a whole run, so measured times include set-up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simcore.model.elements import GROUND, Body, CutRevolute, Machine
from simcore.model.geometry import Array, inertia_matrix, poses
from simcore.model.outlines import corners


class System:
    """A system that one solver call steps through a whole run, without output."""

    solver = "GeneralizedAlpha"
    modified_newton = False  # keeps the tangent from step to step

    def __init__(self, dt: float) -> None:
        import exudyn
        import exudyn.itemInterface as items

        self._exudyn: Any = exudyn
        self.items: Any = items
        self._dt = dt
        self._container = exudyn.SystemContainer()  # owns the system: must outlive it
        self.system: Any = self._container.AddSystem()

    def advance(self, n_steps: int, /) -> None:
        settings = self._exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = n_steps
        settings.timeIntegration.endTime = n_steps * self._dt
        settings.timeIntegration.newton.useModifiedNewton = self.modified_newton
        settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
        settings.parallel.numberOfThreads = 1
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        solver = getattr(self._exudyn.DynamicSolverType, self.solver)
        if not self.system.SolveDynamic(settings, solverType=solver):
            raise RuntimeError("Exudyn found no solution")

    def output(self, node: Any, name: str) -> Array:
        kind = getattr(self._exudyn.OutputVariableType, name)
        return np.array(self.system.GetNodeOutput(node, kind), dtype=float)

    def marker(self, body: Any, x: float, y: float) -> Any:
        return self.system.AddMarker(
            self.items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0.0])
        )

    def hinge(self, one: Any, other: Any) -> None:
        self.system.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=[one, other]))


class Tree(System):
    """The machine's bodies and hinges as a tree in minimal coordinates, integrated with explicit RK4."""

    solver = "RK44"

    def __init__(self, machine: Machine, dt: float) -> None:
        super().__init__(dt)
        exudyn, items, n = self._exudyn, self.items, len(machine.bodies)
        kinds = {
            (1.0, 0.0, 0.0): exudyn.JointType.RevoluteX,
            (0.0, 1.0, 0.0): exudyn.JointType.RevoluteY,
            (0.0, 0.0, 1.0): exudyn.JointType.RevoluteZ,
        }
        names = [body.name for body in machine.bodies]
        joints: list[Any] = [body.joint for body in machine.bodies]
        self._node = self.system.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * n,
                initialCoordinates=[float(joint.start) for joint in joints],
                initialCoordinates_t=[float(joint.rate) for joint in joints],
                numberOfODE2Coordinates=n,
            )
        )
        turns, offsets = exudyn.Matrix3DList(), exudyn.Vector3DList()
        centres, inertias = exudyn.Vector3DList(), exudyn.Matrix3DList()
        for body, joint in zip(machine.bodies, joints, strict=True):
            turns.Append(np.eye(3))
            offsets.Append(list(joint.at.xyz))
            centres.Append(list(body.centre.xyz))
            inertias.Append(inertia_matrix(body.inertia))
        self.system.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=self._node,
                jointTypes=[kinds[joint.axis] for joint in joints],
                linkParents=[-1 if j.parent == GROUND else names.index(j.parent) for j in joints],
                jointTransformations=turns,
                jointOffsets=offsets,
                linkInertiasCOM=inertias,
                linkCOMs=centres,
                linkMasses=[float(body.mass) for body in machine.bodies],
                gravity=list(machine.gravity.xyz),
            )
        )
        self.system.Assemble()

    def coordinates(self) -> Array:
        return self.output(self._node, "Coordinates")


def _length(body: Body) -> float:
    """Length of a body that is drawn as one bar, m."""
    return math.dist(*corners(body.shapes[0]))


class PlaneLoop(System):
    """A plane chain of bars closed by one pin: absolute coordinates with constraints, implicit integration.

    z, v: joint angles and rates that close the loop at the start.
    """

    def __init__(self, machine: Machine, dt: float, z: Array, v: Array) -> None:
        super().__init__(dt)
        (loop,) = machine.loops
        if not isinstance(loop, CutRevolute):
            raise TypeError(f"loop {loop.name!r}: must be a pin (CutRevolute)")
        where, self._start = poses(machine, z), float(z[0])
        ground = self.system.AddObject(self.items.ObjectGround())
        end, velocity = self.marker(ground, 0.0, 0.0), np.zeros(2)
        self._nodes: list[Any] = []
        for body, angle, rate in zip(machine.bodies, np.cumsum(z), np.cumsum(v), strict=True):
            length = _length(body)
            along = np.array([math.cos(angle), math.sin(angle)])
            sweep = rate * np.array([-along[1], along[0]])  # velocity per distance from the hinge
            middle = where[body.name][1][:2] + length / 2 * along
            bar = self._bar(machine, body, [*middle, angle], [*(velocity + length / 2 * sweep), rate])
            self.hinge(end, self.marker(bar, -length / 2, 0.0))
            end = self.marker(bar, length / 2, 0.0)
            velocity = velocity + length * sweep
        self._pin, self._reach = np.array(loop.a.at.xyz[:2]), _length(machine.bodies[-1]) / 2
        self._last = float(np.sum(z))
        self.hinge(end, self.marker(ground, *self._pin))
        self.system.Assemble()

    def _bar(self, machine: Machine, body: Any, start: list[float], rates: list[float]) -> Any:
        """A uniform bar with its weight; its node is at its middle."""
        node = self.system.AddNode(
            self.items.NodeRigidBody2D(referenceCoordinates=start, initialVelocities=rates)
        )
        self._nodes.append(node)
        inertia = float(inertia_matrix(body.inertia)[2, 2])
        bar = self.system.AddObject(
            self.items.ObjectRigidBody2D(mass=float(body.mass), inertia=inertia, nodeNumber=node)
        )
        weight = [float(body.mass) * g for g in machine.gravity.xyz]
        load = self.items.LoadForceVector(markerNumber=self.marker(bar, 0.0, 0.0), loadVector=weight)
        self.system.AddLoad(load)
        return bar

    def crank(self) -> float:
        """Angle of the first bar, rad."""
        return self._start + float(self.output(self._nodes[0], "Coordinates")[2])

    def gap(self) -> float:
        """Gap of the loop, m."""
        angle = self._last + float(self.output(self._nodes[-1], "Coordinates")[2])
        end = self.output(self._nodes[-1], "Position")[:2]
        end = end + self._reach * np.array([math.cos(angle), math.sin(angle)])
        return float(np.linalg.norm(end - self._pin))


class TrapezoidalLoop(PlaneLoop):
    """A plane loop with constraints on velocities, integrated with the trapezoidal rule."""

    solver = "TrapezoidalIndex2"
