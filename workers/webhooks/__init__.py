"""Delivers webhooks: signed messages over HTTP."""
