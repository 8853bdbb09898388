"""An emulated machine with its own physics and clock that sends telemetry over HTTP or MQTT.

The emulator uses only the public interface of the platform and imports none of the platform's code.
"""
