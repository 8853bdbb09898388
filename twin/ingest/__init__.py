"""Ingest, from a telemetry body to the machine's stream: limits, validation, de-duplication, entries."""
