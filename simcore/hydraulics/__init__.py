"""Lumped oil volumes, flows between them, and cylinders (docs/methods/hydraulics.md)."""
