"""Solves small dense linear systems and does arithmetic with 3D vectors, without allocating memory."""
