"""The whole platform on one computer: every service as its own process, watched, and stopped together."""
