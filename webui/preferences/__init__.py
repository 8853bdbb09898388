"""A person's choices for all pages: units, language, and whether the tour is offered."""
