"""Remaining life of parts from their damage counters: duty, damage at failure, forecasts and their record."""
