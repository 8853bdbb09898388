"""Friction laws for piston seals and joints (docs/methods/friction.md)."""
