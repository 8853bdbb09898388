"""Tells other systems what happens to machines: signed messages over HTTP."""
