"""The MQTT bridge: moves telemetry from the broker into the streams."""
