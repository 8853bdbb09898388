"""The tour and the guides, in the product."""
