"""The domain: settings, Django models and services, ingest, and the runtime of the live twins."""
