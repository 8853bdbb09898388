"""Closes kinematic loops by coordinate partitioning or by the index-1 method.

A third method, the penalty, is part of the implicit step (simcore/integrate/trapezoidal.py).
"""
