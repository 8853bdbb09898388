"""Twins: models that are corrected by measurements (docs/methods/error-state-filter.md)."""
