"""Control events, which inform every process of a change, such as a revoked token."""
