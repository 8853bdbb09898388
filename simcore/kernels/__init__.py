"""Compiles, caches and calls kernels. No other package sets numba's options."""
