"""Linear algebra for small dense systems and for vectors with three components, without allocation."""
