"""Machines in Exudyn. Its solvers are called once for a whole run; setting them up counts with its steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simcore.model.elements import GROUND, CutRevolute, Machine
from simcore.model.geometry import Array, inertia_matrix, poses


class _Run:
    """A system that one solver takes through all its steps; nothing is written or watched meanwhile."""

    solver = "GeneralizedAlpha"
    modified_newton = False  # keeps the tangent from step to step

    def __init__(self, dt: float) -> None:
        import exudyn
        import exudyn.itemInterface as items

        self._exudyn: Any = exudyn
        self._items: Any = items
        self._dt = dt
        self._container = exudyn.SystemContainer()  # owns the system: must outlive it
        self._system: Any = self._container.AddSystem()

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
        if not self._system.SolveDynamic(settings, solverType=solver):
            raise RuntimeError("Exudyn found no solution")

    def _output(self, node: Any, name: str) -> Array:
        kind = getattr(self._exudyn.OutputVariableType, name)
        return np.array(self._system.GetNodeOutput(node, kind), dtype=float)

    def _marker(self, body: Any, x: float, y: float) -> Any:
        return self._system.AddMarker(
            self._items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0.0])
        )

    def _hinge(self, one: Any, other: Any) -> None:
        self._system.AddObject(self._items.ObjectJointRevolute2D(markerNumbers=[one, other]))


class Tree(_Run):
    """The machine's bodies on their hinges as a tree of minimal coordinates, by explicit RK4."""

    solver = "RK44"

    def __init__(self, machine: Machine, dt: float) -> None:
        super().__init__(dt)
        exudyn, items, n = self._exudyn, self._items, len(machine.bodies)
        kinds = {
            (1.0, 0.0, 0.0): exudyn.JointType.RevoluteX,
            (0.0, 1.0, 0.0): exudyn.JointType.RevoluteY,
            (0.0, 0.0, 1.0): exudyn.JointType.RevoluteZ,
        }
        names = [body.name for body in machine.bodies]
        joints: list[Any] = [body.joint for body in machine.bodies]
        self._node = self._system.AddNode(
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
        self._system.AddObject(
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
        self._system.Assemble()

    def coordinates(self) -> Array:
        return self._output(self._node, "Coordinates")


class PlaneLoop(_Run):
    """A plane chain of bars closed by one pin: absolute coordinates and constraints, implicit.

    z, v: joint angles and rates at the start that close the loop.
    """

    def __init__(self, machine: Machine, dt: float, z: Array, v: Array) -> None:
        super().__init__(dt)
        (loop,) = machine.loops
        if not isinstance(loop, CutRevolute):
            raise TypeError(f"{loop.name!r} is no pin")
        where, self._start = poses(machine, z), float(z[0])
        ground = self._system.AddObject(self._items.ObjectGround())
        end, velocity = self._marker(ground, 0.0, 0.0), np.zeros(2)
        self._nodes: list[Any] = []
        for body, angle, rate in zip(machine.bodies, np.cumsum(z), np.cumsum(v), strict=True):
            length = float(body.shape.length)
            along = np.array([math.cos(angle), math.sin(angle)])
            sweep = rate * np.array([-along[1], along[0]])  # velocity per distance from the hinge
            middle = where[body.name][1][:2] + length / 2 * along
            bar = self._bar(machine, body, [*middle, angle], [*(velocity + length / 2 * sweep), rate])
            self._hinge(end, self._marker(bar, -length / 2, 0.0))
            end = self._marker(bar, length / 2, 0.0)
            velocity = velocity + length * sweep
        self._pin, self._reach = np.array(loop.a.at.xyz[:2]), float(machine.bodies[-1].shape.length) / 2
        self._last = float(np.sum(z))
        self._hinge(end, self._marker(ground, *self._pin))
        self._system.Assemble()

    def _bar(self, machine: Machine, body: Any, start: list[float], rates: list[float]) -> Any:
        """A uniform bar whose node is its middle, with its weight."""
        node = self._system.AddNode(
            self._items.NodeRigidBody2D(referenceCoordinates=start, initialVelocities=rates)
        )
        self._nodes.append(node)
        inertia = float(inertia_matrix(body.inertia)[2, 2])
        bar = self._system.AddObject(
            self._items.ObjectRigidBody2D(mass=float(body.mass), inertia=inertia, nodeNumber=node)
        )
        weight = [float(body.mass) * g for g in machine.gravity.xyz]
        load = self._items.LoadForceVector(markerNumber=self._marker(bar, 0.0, 0.0), loadVector=weight)
        self._system.AddLoad(load)
        return bar

    def crank(self) -> float:
        """Angle of the first bar, rad."""
        return self._start + float(self._output(self._nodes[0], "Coordinates")[2])

    def gap(self) -> float:
        """How far the loop is open, m."""
        angle = self._last + float(self._output(self._nodes[-1], "Coordinates")[2])
        end = self._output(self._nodes[-1], "Position")[:2]
        end = end + self._reach * np.array([math.cos(angle), math.sin(angle)])
        return float(np.linalg.norm(end - self._pin))


class TrapezoidalLoop(PlaneLoop):
    """The same with constraints on velocities, by the trapezoidal rule."""

    solver = "TrapezoidalIndex2"


class Arm(_Run):
    """One arm lifted by Exudyn's own hydraulic actuator, its valve held open.

    Smaller than rahikainen-a by two bodies, a loop and a pressure. Cylinder, oil and supply are those of that
    case; its valve has no spool, its edges have no laminar range, and its friction is a damper.
    """

    modified_newton = True  # twice as fast here

    _MASS, _LENGTH, _START = 400.0, 1.0, math.radians(-30.0)  # kg, m, rad
    _PUMP, _TANK, _ROD_SIDE = 7.6e6, 1e5, 3.5e6  # Pa

    def __init__(self, dt: float) -> None:
        super().__init__(dt)
        items, half = self._items, self._LENGTH / 2
        ground = self._system.AddObject(items.ObjectGround())
        start = [half * math.cos(self._START), half * math.sin(self._START), self._START]
        self._node = self._system.AddNode(items.NodeRigidBody2D(referenceCoordinates=start))
        inertia = self._MASS * self._LENGTH**2 / 12
        arm = self._system.AddObject(
            items.ObjectRigidBody2D(mass=self._MASS, inertia=inertia, nodeNumber=self._node)
        )
        middle, base = self._marker(arm, 0.0, 0.0), self._marker(ground, 0.0, -1.0)
        weight = [0.0, -9.81 * self._MASS, 0.0]
        self._hinge(self._marker(ground, 0.0, 0.0), self._marker(arm, -half, 0.0))
        self._system.AddLoad(items.LoadForceVector(markerNumber=middle, loadVector=weight))
        self._add_actuator(base, middle)
        self._system.Assemble()

    def _add_actuator(self, base: Any, rod: Any) -> None:
        area_a = math.pi / 4 * 0.08**2
        area_b = area_a - math.pi / 4 * 0.035**2
        length = math.sqrt(0.75)  # at the start, where the cylinder stands square on the arm's middle
        push = 9.81 * self._MASS * math.cos(self._START)
        start = [(push + self._ROD_SIDE * area_b) / area_a, self._ROD_SIDE]
        pressures = self._system.AddNode(
            self._items.NodeGenericODE1(
                referenceCoordinates=[0.0, 0.0], initialCoordinates=start, numberOfODE1Coordinates=2
            )
        )
        self._system.AddObject(
            self._items.HydraulicActuatorSimple(
                markerNumbers=[base, rod],
                nodeNumbers=[pressures],
                offsetLength=length - 0.2,
                strokeLength=0.7,
                chamberCrossSection0=area_a,
                chamberCrossSection1=area_b,
                hoseVolume0=7.85e-5,
                hoseVolume1=7.85e-5,
                valveOpening0=10.0,
                valveOpening1=-10.0,
                actuatorDamping=2000.0,
                oilBulkModulus=1.5e9,
                cylinderBulkModulus=3.15e10,
                hoseBulkModulus=5.5e8,
                nominalFlow=2.138e-8,
                systemPressure=self._PUMP,
                tankPressure=self._TANK,
                useChamberVolumeChange=True,
            )
        )

    def angle(self) -> float:
        """How far the arm has turned, rad."""
        return float(self._output(self._node, "Coordinates")[2])
