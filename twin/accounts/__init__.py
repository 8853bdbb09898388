"""Members of organisations: how they come, change and go, and the tokens of their programs."""
