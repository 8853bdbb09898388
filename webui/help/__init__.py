"""The tour and the guides."""
