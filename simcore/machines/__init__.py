"""Configurable machine models, for example `loader_crane.build(...)` and `excavator.build(...)`.

Imports neither numba nor scipy.
"""
