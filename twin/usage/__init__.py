"""Usage of machines: hours, energy and fuel, summed from the frames of their twins."""
