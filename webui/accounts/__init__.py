"""A person's own account: signing in and out, password, second factor, sessions, API tokens, invitations."""
