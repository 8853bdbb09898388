"""Webhooks: send signed events to other systems, at least once, and only to public addresses."""
