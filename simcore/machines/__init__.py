"""Machine models as configurable descriptions: `loader_crane.build(...)`, `excavator.build(...)`.

Imports neither numba nor scipy.
"""
