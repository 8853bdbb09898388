"""The live twin of one machine."""
