"""The MQTT bridge: takes telemetry from the broker into the streams."""
