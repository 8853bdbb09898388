"""The clock used in messages."""

import time


def now_us() -> int:
    """Return the present time in microseconds since 1970."""
    return time.time_ns() // 1000
