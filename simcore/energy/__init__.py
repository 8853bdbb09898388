"""Energy of every element during a run, and what its balance says."""
