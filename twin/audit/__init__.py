"""Who did what to what, when and from where."""
