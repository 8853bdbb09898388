"""The style guide: every component of the user interface on one page."""
