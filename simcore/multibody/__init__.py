"""Dynamics of trees of rigid bodies with closed loops, in the Z form (docs/methods/kinematics.md)."""
