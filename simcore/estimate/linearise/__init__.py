"""Derivatives the filter needs, and the chords it uses where a derivative would mislead."""
