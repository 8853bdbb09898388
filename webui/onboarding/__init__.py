"""Starting an organisation: a running demo machine, and a token for the organisation's first own machine."""
