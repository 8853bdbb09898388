"""Date and time formats for languages in which Django's formats are ambiguous or too long for a table."""
