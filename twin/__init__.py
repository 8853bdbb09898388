"""The domain layer: settings, Django models and services, telemetry ingest, and the runtime of live twins."""
