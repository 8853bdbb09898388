"""The history writer: copies telemetry from the streams to the database."""
