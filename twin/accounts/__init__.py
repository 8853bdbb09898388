"""Members of organisations, invitations, and the API tokens of their programs."""
