"""Derivatives that the filter needs, and chords where a derivative would mislead."""
