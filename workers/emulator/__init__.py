"""A machine, as far as the platform can tell: its own physics, its own clock, and telemetry over HTTP.

It knows the platform only by its public interface and imports nothing of it.
"""
