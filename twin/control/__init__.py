"""Rare events that every process must hear, such as a revoked token."""
