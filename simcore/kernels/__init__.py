"""How kernels are compiled, cached and called: the only place that names numba's options."""
