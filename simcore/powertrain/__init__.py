"""Engines that turn shafts (docs/methods/diesel.md)."""
