"""The domain: settings, Django models and services, telemetry ingest, and the runtime of the live twins."""
