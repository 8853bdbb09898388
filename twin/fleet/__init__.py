"""Organisations, their members, machines and devices, and who may see them."""
