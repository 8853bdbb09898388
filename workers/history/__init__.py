"""From the telemetry streams to the database."""
