"""Webhooks: events sent to other systems, signed, at least once, only to public addresses."""
