"""Sets the tolerances of Newton's method for a step.

They are described for one step. The error of the trapezoidal rule grows with the square of the step, and
tolerances that stay as far below it grow likewise.
"""

from __future__ import annotations

from simcore.model.elements import Solver
from simcore.model.plan import Records


def set_tolerances(solver: Solver, dt: float | None, head: Records) -> None:
    """Set the increments below which Newton's method stops at a step of dt, s."""
    ratio = 1.0 if dt is None or solver.tolerance_step is None else dt / float(solver.tolerance_step)
    for name, tolerance in (
        ("tol_z", solver.position_tolerance),
        ("tol_p", solver.pressure_tolerance),
        ("tol_x", solver.friction_tolerance),
        ("tol_torque", solver.torque_tolerance),
        ("tol_fill", solver.fill_tolerance),
    ):
        head[name] = float(tolerance) * ratio**2
