"""Telemetry in: a bare ASGI application beside Django."""
