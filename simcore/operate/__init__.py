"""Whoever holds the levers: scripted work with joystick-level inputs. Imports neither numba nor scipy."""
