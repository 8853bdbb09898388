"""Events told to other systems: signed, at least once, to public addresses only."""
