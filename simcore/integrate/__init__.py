"""Time stepping (docs/methods/integration.md)."""
