"""How twins are kept alive: who runs them, from what they continue, and what they show."""
