"""Computes the derivatives that the filter needs, and chords where a derivative would mislead."""
