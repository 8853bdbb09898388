"""Talking to the telemetry server (Valkey): clients, scripts, streams, syncing its file."""
