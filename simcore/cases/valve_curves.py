"""Computes the coefficient curves of valve edges, which are B-splines defined by control points.

The method comes from Khadim 2021, Publication II.
"""

from __future__ import annotations

from simcore.model.elements import Curve
from simcore.model.plan import KNOTS
from simcore.model.quantity import Origin

_DEGREE = 2  # "third order": quadratic between its knots


def spline(control: tuple[float, ...], parameter: float) -> float:
    """Quadratic B-spline with clamped uniform knots at a parameter from 0 to 1 (de Boor's recursion)."""
    spans = len(control) - _DEGREE
    knots = [0.0] * _DEGREE + [k / spans for k in range(spans + 1)] + [1.0] * _DEGREE
    span = min(int(parameter * spans), spans - 1) + _DEGREE
    points = list(control[span - _DEGREE : span + 1])
    for level in range(1, _DEGREE + 1):
        for j in range(_DEGREE, level - 1, -1):
            left, right = knots[span - _DEGREE + j], knots[span + 1 + j - level]
            weight = (parameter - left) / (right - left)
            points[j] = (1 - weight) * points[j - 1] + weight * points[j]
    return points[_DEGREE]


def coefficient(ordinates: tuple[float, ...], share: float) -> float:
    """C_v at a share (0 to 1) of the opening, from the plane curve through evenly spaced control points.

    The abscissa is a rising spline of the parameter as well, so control points on a line give that line.
    """
    last = len(ordinates) - 1
    abscissae = tuple(k / last for k in range(last + 1))
    low, high = 0.0, 1.0
    for _ in range(60):  # bisection to the last digit
        middle = (low + high) / 2
        low, high = (middle, high) if spline(abscissae, middle) < share else (low, middle)
    return spline(ordinates, high)


def edge_curve(ordinates: tuple[float, ...], unit: float, limit: float, origin: Origin) -> Curve:
    """Coefficient C = C_v(U) U of a valve edge at the openings U that the engine stores.

    ordinates: control points of C_v, from opening zero to `limit` V. unit: m³/(s √Pa V) per unit of C_v.
    """
    shares = tuple((k + 1) / KNOTS for k in range(KNOTS))
    return Curve(
        openings=tuple(limit * share for share in shares),
        coefficients=tuple(unit * coefficient(ordinates, share) * limit * share for share in shares),
        origin=origin,
    )
