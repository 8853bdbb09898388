"""A machine, as far as the platform can tell: its own physics and clock, and telemetry over HTTP or MQTT.

It knows the platform only by its public interface and imports nothing of it.
"""
