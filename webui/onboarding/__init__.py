"""Starting an organisation: a demo machine that runs, and a token for the first own machine."""
