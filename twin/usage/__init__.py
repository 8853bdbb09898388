"""What machines have done: hours, energy and fuel, added up from the frames of their twins."""
