"""Webhooks, which send signed events to other systems: each at least once, and only to public addresses."""
