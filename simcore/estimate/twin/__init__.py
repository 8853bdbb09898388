"""Live twin of one machine."""
