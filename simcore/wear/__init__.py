"""Damage of parts from the loads that a machine carries (docs/methods/wear.md)."""
