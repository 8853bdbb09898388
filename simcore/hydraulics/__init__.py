"""Lumped oil volumes, the flow between them, and cylinders (docs/methods/hydraulics.md)."""
