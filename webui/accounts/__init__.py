"""A person's own account: signing in and out, password, second factor, sessions, tokens, invitations."""
