"""Runs a machine: engine, simulation, inputs, and the record of a run."""
