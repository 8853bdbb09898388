"""The frame around every page: middleware, errors, health."""
