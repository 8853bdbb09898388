"""A first state and covariance from a sample."""
