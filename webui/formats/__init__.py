"""Dates and times as people write them, where Django's own habit is ambiguous or too long for a table."""
