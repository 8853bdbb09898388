"""Free space on the telemetry server's disk."""

from twin.ingest.disk_guard import DiskGuard

PLENTY = 10**18  # no disk has so much


def test_a_disk_with_less_than_the_reserve_is_short(tmp_path):
    assert DiskGuard(str(tmp_path), PLENTY).almost_full()
    assert not DiskGuard(str(tmp_path), 0).almost_full()


def test_a_disk_elsewhere_is_not_ours_to_judge(tmp_path):
    assert not DiskGuard("", PLENTY).almost_full()
    assert not DiskGuard(str(tmp_path / "nowhere"), PLENTY).almost_full()


def test_it_is_looked_at_again_after_a_second(tmp_path):
    now = 0.0
    directory = tmp_path / "later"
    guard = DiskGuard(str(directory), PLENTY, clock=lambda: now)
    assert not guard.almost_full()
    directory.mkdir()
    now = 0.9
    assert not guard.almost_full()
    now = 1.0
    assert guard.almost_full()
