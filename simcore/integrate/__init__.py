"""Time stepping and the small dense algebra it needs (docs/methods/integration.md)."""
