"""Twins: a model corrected by measurements (docs/methods/error-state-filter.md)."""
