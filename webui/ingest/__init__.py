"""Telemetry ingest over HTTP: a bare ASGI application next to Django."""
