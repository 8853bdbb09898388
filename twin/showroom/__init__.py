"""Machines that show a new organisation what the platform does, before a machine of its own is connected."""
