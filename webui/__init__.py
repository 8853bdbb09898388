"""The web process: pages, HTTP API, WebSockets and telemetry ingest."""
