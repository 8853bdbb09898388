"""Energy ledger of a run, and its balance by element."""
