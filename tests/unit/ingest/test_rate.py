"""Buckets of the rate limit, and the log lines that do not flood."""

import logging

import pytest

from twin.ingest import rate
from twin.ingest.rate import RateLimiter
from twin.throttled_log import ThrottledLog


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    limiter = RateLimiter(rate=10, burst=30, clock=clock)
    assert [limiter.take("a", 10) for _ in range(3)] == [0, 0, 0]
    assert limiter.take("a", 10) == 1  # s, in which ten more will have come
    clock.now += 1.0
    assert limiter.take("a", 10) == 0
    assert limiter.take("a", 1) > 0
    assert limiter.take("b", 30) == 0  # another device has its own


def test_over_a_long_time_no_more_than_the_rate_passes() -> None:
    clock = Clock()
    limiter = RateLimiter(rate=50, burst=100, clock=clock)
    passed = 0
    for _ in range(100_000):  # 1000 s, asked a hundred times a second
        clock.now += 0.01
        passed += limiter.take("a", 3) == 0
    assert 3 * passed == pytest.approx(50 * 1000, abs=110)


def test_who_waits_as_long_as_told_is_let_in() -> None:
    clock = Clock()
    limiter = RateLimiter(rate=0.3, burst=2, clock=clock)
    for amount in (2, 1, 2, 1, 1_000):  # more than the bucket holds passes when it is full
        wait_s = limiter.take("a", amount)
        if wait_s:
            clock.now += wait_s
            assert limiter.take("a", amount) == 0
    assert clock.now > 110


def test_the_buckets_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate, "DEVICES", 5)
    limiter = RateLimiter(rate=1, burst=1)
    for device in range(100):
        limiter.take(str(device), 1)
    assert len(limiter._buckets) <= 5


def test_what_happens_often_is_told_now_and_then_with_a_count(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    throttled_log = ThrottledLog(logging.getLogger("hydratwin.test"), clock)
    with caplog.at_level(logging.INFO):
        for _ in range(1000):
            throttled_log.log("one", logging.WARNING, "device %s again", "d1")
        throttled_log.log("two", logging.INFO, "device %s too", "d2")
        clock.now += 11
        throttled_log.log("one", logging.WARNING, "device %s again", "d1")
    assert [record.getMessage() for record in caplog.records] == [
        "device d1 again",
        "device d2 too",
        "device d1 again (999 similar events since the last line)",
    ]
