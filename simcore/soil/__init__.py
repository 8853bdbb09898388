"""Buckets that dig in the ground (docs/methods/digging.md)."""
