"""The server's clock, in microseconds."""

import time


def now_us() -> int:
    """Return the present time in microseconds since 1970."""
    return time.time_ns() // 1000
