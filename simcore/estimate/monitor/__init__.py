"""Tests on innovations: gating, sensor faults, consistency of the filter."""
