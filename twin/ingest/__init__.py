"""Ingest: limits, validates and de-duplicates telemetry, and appends it to the stream of its machine."""
