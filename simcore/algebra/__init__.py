"""Solves small dense linear systems and calculates with 3D vectors, without allocating memory."""
