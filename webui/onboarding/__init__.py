"""The first minutes of a new organisation: a machine that runs, and a token for one of its own."""
