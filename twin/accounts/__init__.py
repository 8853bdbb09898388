"""Members of organisations, their invitations and their API tokens."""
