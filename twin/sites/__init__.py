"""Where machines work: sites on an organisation's own plan."""
