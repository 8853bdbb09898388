"""Usage of machines: total hours, energy and fuel, calculated from the frames of their twins."""
