"""What a person chooses for all pages: units, language, and whether the tour is still offered."""
