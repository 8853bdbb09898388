"""Telemetry on its way in: validation, de-duplication, limits and stream entries."""
