"""Date and time formats for languages where Django's own are ambiguous or too long for a table."""
