"""Contains the cases from publications and synthetic cases for benchmarks.

This package imports neither numba nor scipy.
"""

from simcore.cases.chain import CHAIN
from simcore.cases.crane import CRANE
from simcore.cases.digger_rig import DIGGER_RIG
from simcore.cases.four_bar_a import FOUR_BAR_A
from simcore.cases.four_bar_b import FOUR_BAR_B
from simcore.cases.four_bar_free import FOUR_BAR_FREE
from simcore.cases.quick_return import QUICK_RETURN
from simcore.cases.rahikainen import RAHIKAINEN_A, RAHIKAINEN_B
from simcore.cases.valve_rig import VALVE_RIG

PUBLISHED = (FOUR_BAR_B, FOUR_BAR_A, QUICK_RETURN, RAHIKAINEN_A, RAHIKAINEN_B, CRANE, VALVE_RIG)
SYNTHETIC = (CHAIN, FOUR_BAR_FREE, DIGGER_RIG)
