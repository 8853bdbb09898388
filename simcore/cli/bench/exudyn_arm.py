"""Simulates an arm with the hydraulic actuator of Exudyn, the only other engine here with hydraulics."""

from __future__ import annotations

import math
from typing import Any

from simcore.cli.bench.exudyn_peer import System


class Arm(System):
    """One arm that Exudyn's own hydraulic actuator lifts with its valve held open.

    It has two bodies, one loop and one pressure fewer than rahikainen-a. Cylinder, oil and supply are those
    of that case; the valve has no spool, its edges have no laminar range, and the friction is a damper.
    """

    modified_newton = True  # twice as fast here

    _MASS, _LENGTH, _START = 400.0, 1.0, math.radians(-30.0)  # kg, m, rad
    _PUMP, _TANK, _ROD_SIDE = 7.6e6, 1e5, 3.5e6  # Pa

    def __init__(self, dt: float) -> None:
        super().__init__(dt)
        items, half = self.items, self._LENGTH / 2
        ground = self.system.AddObject(items.ObjectGround())
        start = [half * math.cos(self._START), half * math.sin(self._START), self._START]
        self._node = self.system.AddNode(items.NodeRigidBody2D(referenceCoordinates=start))
        inertia = self._MASS * self._LENGTH**2 / 12
        arm = self.system.AddObject(
            items.ObjectRigidBody2D(mass=self._MASS, inertia=inertia, nodeNumber=self._node)
        )
        middle, base = self.marker(arm, 0.0, 0.0), self.marker(ground, 0.0, -1.0)
        weight = [0.0, -9.81 * self._MASS, 0.0]
        self.hinge(self.marker(ground, 0.0, 0.0), self.marker(arm, -half, 0.0))
        self.system.AddLoad(items.LoadForceVector(markerNumber=middle, loadVector=weight))
        self._add_actuator(base, middle)
        self.system.Assemble()

    def _add_actuator(self, base: Any, rod: Any) -> None:
        area_a = math.pi / 4 * 0.08**2
        area_b = area_a - math.pi / 4 * 0.035**2
        length = math.sqrt(0.75)  # at the start, where the cylinder stands square on the arm's middle
        push = 9.81 * self._MASS * math.cos(self._START)
        start = [(push + self._ROD_SIDE * area_b) / area_a, self._ROD_SIDE]
        pressures = self.system.AddNode(
            self.items.NodeGenericODE1(
                referenceCoordinates=[0.0, 0.0], initialCoordinates=start, numberOfODE1Coordinates=2
            )
        )
        self.system.AddObject(
            self.items.HydraulicActuatorSimple(
                markerNumbers=[base, rod],
                nodeNumbers=[pressures],
                offsetLength=length - 0.2,
                strokeLength=0.7,
                chamberCrossSection0=area_a,
                chamberCrossSection1=area_b,
                hoseVolume0=7.85e-5,
                hoseVolume1=7.85e-5,
                valveOpening0=1.0,
                valveOpening1=-1.0,
                actuatorDamping=2000.0,
                oilBulkModulus=1.5e9,
                cylinderBulkModulus=3.15e10,
                hoseBulkModulus=5.5e8,
                nominalFlow=10 * 2.138e-8,  # at 10 V
                systemPressure=self._PUMP,
                tankPressure=self._TANK,
                useChamberVolumeChange=True,
            )
        )

    def angle(self) -> float:
        """Angle through which the arm has turned, rad."""
        return float(self.output(self._node, "Coordinates")[2])
