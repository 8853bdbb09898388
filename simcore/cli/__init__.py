"""Commands of `python -m simcore`."""
