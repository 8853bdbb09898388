"""Stores a set of sequence numbers as ordered, disjoint runs [first, last]. A set without gaps is one run."""

from bisect import bisect_right
from operator import itemgetter

MOST_RUNS = 10_000  # of one boot; the oldest are forgotten first

Runs = list[list[int]]


def append(runs: Runs, numbers: list[int]) -> bool:
    """Add consecutive numbers above all known ones; for any other numbers, add nothing and return False."""
    first, last = numbers[0], numbers[-1]
    above = not runs or first > runs[-1][1]
    if not above or numbers != list(range(first, first + len(numbers))):
        return False
    if runs and first == runs[-1][1] + 1:
        runs[-1][1] = last
    else:
        runs.append([first, last])
    return True


def add(runs: Runs, number: int) -> bool:
    """Add a number; return True if it is new."""
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
