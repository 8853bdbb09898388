"""Whose is it: organisations, their members, machines and devices."""
