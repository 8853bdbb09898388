"""Runs the whole platform on one computer: one process per service, supervised and stopped together."""
