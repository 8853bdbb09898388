"""Telemetry ingest over HTTP: a small ASGI application that bypasses Django's middleware."""
