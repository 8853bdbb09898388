"""Room on the telemetry server's disk."""

from twin.ingest.disk_guard import Room

PLENTY = 10**18  # no disk has so much


def test_a_disk_with_less_than_the_reserve_is_short(tmp_path):
    assert Room(str(tmp_path), PLENTY).short()
    assert not Room(str(tmp_path), 0).short()


def test_a_disk_elsewhere_is_not_ours_to_judge(tmp_path):
    assert not Room("", PLENTY).short()
    assert not Room(str(tmp_path / "nowhere"), PLENTY).short()


def test_it_is_looked_at_again_after_a_second(tmp_path):
    now = 0.0
    directory = tmp_path / "later"
    room = Room(str(directory), PLENTY, clock=lambda: now)
    assert not room.short()
    directory.mkdir()
    now = 0.9
    assert not room.short()
    now = 1.0
    assert room.short()
