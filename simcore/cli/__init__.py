"""simcore on the command line."""
