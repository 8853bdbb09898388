"""Telemetry on its way in: validation, de-duplication and the stream entries."""
