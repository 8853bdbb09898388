"""Every component of the user interface on one page."""
