"""Telemetry ingest over HTTP: a bare ASGI application beside Django."""
