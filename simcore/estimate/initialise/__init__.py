"""Determines the first state and covariance of a twin from a sample."""
