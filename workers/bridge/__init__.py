"""From the MQTT broker to the telemetry streams."""
