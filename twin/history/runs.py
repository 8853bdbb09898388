"""Sequence numbers as runs: [first, last], disjoint, in order. An uninterrupted device costs one."""

from bisect import bisect_right
from operator import itemgetter

MOST_RUNS = 10_000  # of one start; the oldest are forgotten first

Runs = list[list[int]]


def add(runs: Runs, number: int) -> bool:
    """True if the number is new."""
    if runs and number == runs[-1][1] + 1:  # the usual case
        runs[-1][1] = number
        return True
    place = bisect_right(runs, number, key=itemgetter(0))  # of the first run that begins above it
    if place and number <= runs[place - 1][1]:
        return False
    joins_left = place > 0 and runs[place - 1][1] == number - 1
    joins_right = place < len(runs) and runs[place][0] == number + 1
    if joins_left and joins_right:
        runs[place - 1][1] = runs.pop(place)[1]
    elif joins_left:
        runs[place - 1][1] = number
    elif joins_right:
        runs[place][0] = number
    else:
        runs.insert(place, [number, number])
    return True
