"""Clients of the telemetry server (Valkey), its Lua scripts, and the syncing of its append-only file."""
