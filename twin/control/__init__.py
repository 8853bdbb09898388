"""Control events: tell every process that something has changed, such as a revoked token."""
