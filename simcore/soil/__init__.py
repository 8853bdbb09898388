"""Buckets in the ground (docs/methods/digging.md)."""
