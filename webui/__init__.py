"""HTTP, WebSocket and ingest: everything people and machines talk to."""
