"""Provides scripted operators, which control a machine through its levers.

This package imports neither numba nor scipy.
"""
