"""Ingest: brings a telemetry body into the machine's stream, with limits, validation and de-duplication."""
