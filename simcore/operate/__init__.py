"""Scripted operators that work a machine through its levers. Imports neither numba nor scipy."""
