"""Organisations with their members, machines and devices, and the rules for who may see them."""
