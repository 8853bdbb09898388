"""Small dense linear systems and vectors of three, without allocation."""
