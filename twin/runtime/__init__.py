"""Runs the live twins: shards and leases, sessions, checkpoints and frames."""
