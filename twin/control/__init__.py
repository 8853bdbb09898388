"""Control events for every process, such as a revoked token."""
