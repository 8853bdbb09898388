"""Personal preferences: units, language, whether the tour was seen, and saved fleet views."""
