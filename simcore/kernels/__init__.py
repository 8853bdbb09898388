"""Compiles, caches and calls kernels; the only place that sets numba's options."""
