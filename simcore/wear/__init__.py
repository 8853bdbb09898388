"""Counts what wears a machine: load cycles, damage of welds, hoses and envelopes, and sums over time."""
