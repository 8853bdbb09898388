"""Tests innovations: gates readings, finds sensor faults and checks the consistency of the filter."""
