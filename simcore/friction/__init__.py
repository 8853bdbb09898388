"""Friction laws of piston seals (docs/methods/friction.md)."""
