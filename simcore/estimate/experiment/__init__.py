"""Twin experiments: a simulated machine with errors and noise, and the twin that follows it."""
