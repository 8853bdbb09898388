"""Groups the arrays of the error-state filter under names, in the form that its kernel takes.

Sizes of the arrays: n filter states; m = n + number of biases; channels; sides = 2 per valve, because a
spool can open to either side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simcore.model.plan import Plan, Records
from simcore.model.workspace import Array, Workspace

PUBLISHED, FULL = range(2)  # transition models of the covariance; FULL with biases or without
JACOBIAN_COLUMNS = 3  # behind those of states and biases: noise (or channel), reach, pressure


class FilterModel(NamedTuple):
    """Data that do not change while a filter runs, and the workspace of its machine."""

    plan: Plan
    ws: Workspace
    biases: Records
    transition: int  # PUBLISHED or FULL
    dt: float  # model step, s
    stride: int  # model steps that the covariance may lag behind the state at most
    most: Array  # largest possible standard deviation of every state, filter units


class FilterState(NamedTuple):
    """Everything that later steps depend on."""

    state: Array  # of the machine, SI units
    covariance: Array  # P (m, m), filter units
    jacobian: Array  # (2, n + channels, m + 3): [0] where the covariance stands, [1] room for the next
    # (m, sides + candidates): c = E[x e], states and biases with unknown valve openings; then signatures of
    # load changes (monitor/load_signature.py), which go through the same corrections
    input_cross_cov: Array
    input_ages: Array  # model steps since each input was given, per valve
    innovations: Array  # (channels, 2): of the last correction, NaN without a reading, and their variances
    counters: Array  # of the integrator
    averaged: Array  # pressures of the volumes, averaged over a short time, Pa; empty without a delay


class Readings(NamedTuple):
    """Readings to fuse, their noise and their gate."""

    values: Array  # rows by channel, NaN without a reading
    sigmas: Array  # standard deviation of each channel's noise
    gate: float  # standard deviations beyond which a reading is left out
    inputs_known: bool  # whether the inputs were known until now


class FilterScratch(NamedTuple):
    """Scratch memory; its contents do not matter between two calls."""

    dx: Array  # correction of states and biases (m,)
    system: Array  # equations of a step; solved, from column n on: [F Γ | noise | inputs]
    spare: Array  # m + 2 rows: products with P, P hᵀ, the gain
    transposed: Array  # rows of F or G as columns
    input_rates: Array  # per side of each valve, what its unknown opening adds to the rates


def make_scratch(n: int, m: int, sides: int) -> FilterScratch:
    """Scratch memory for n states, m with biases, and two sides of every valve."""
    block = np.zeros((n + m + 2 + m + sides, 2 * n + m + sides))
    system, spare, transposed, input_rates = np.split(block, [n, n + m + 2, n + 2 * m + 2])
    return FilterScratch(np.zeros(m), system, spare, transposed, input_rates)
