"""Numerics of Hydratwin: machines described as data, one compiled engine for all of them."""
