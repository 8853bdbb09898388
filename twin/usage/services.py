"""Reads the trails of all twins and adds to the counters of their machines."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import redis

from twin import keys
from twin.fleet.models import Machine
from twin.runtime import frames
from twin.runtime.frames import Frame
from twin.usage.meter import Totals, add, places
from twin.usage.models import Usage

TOGETHER = 20  # machines of which trails are read at once: each may be half a megabyte
NEWEST = 80  # frames that are read first: 20 s, twice the time from one count to the next
FIELDS = ("until_us", "run_s", "energy_joule", "fuel_kg", "recent")


def count_usage(client: redis.Redis) -> int:
    """Bring every machine's counters up to its last frame; returns of how many there was news."""
    machines = Machine.objects.for_runtime().iterator(chunk_size=TOGETHER)
    return sum(_count(client, some) for some in _together(machines))


def _together(machines: Iterable[Machine]) -> Iterator[list[Machine]]:
    rest = iter(machines)
    while some := list(islice(rest, TOGETHER)):
        yield some


def _count(client: redis.Redis, machines: Sequence[Machine]) -> int:
    known = {usage.machine_id: usage for usage in Usage.objects.for_runtime().filter(machine__in=machines)}
    usages = [known.get(machine.pk) or Usage(machine=machine) for machine in machines]
    trails = _trails(client, machines, -NEWEST)
    behind = [k for k, usage in enumerate(usages) if trails[k] and trails[k][0].t > usage.until_us]
    for k, whole in zip(behind, _trails(client, [machines[k] for k in behind], 0), strict=True):
        trails[k] = whole
    changed = [
        usage
        for machine, usage, trail in zip(machines, usages, trails, strict=True)
        if _add(usage, machine, trail)
    ]
    Usage.objects.bulk_create(changed, update_conflicts=True, unique_fields=["machine"], update_fields=FIELDS)
    return len(changed)


def _trails(client: redis.Redis, machines: Sequence[Machine], first: int) -> list[list[Frame]]:
    """Frames of each machine from a place of its trail on, oldest first."""
    pipe = client.pipeline(transaction=False)
    for machine in machines:
        pipe.lrange(keys.recent_frames(machine.pk), first, -1)
    return [list(_readable(trail)) for trail in pipe.execute()]


def _add(usage: Usage, machine: Machine, trail: Sequence[Frame]) -> bool:
    reckoning = Totals(*(getattr(usage, name) for name in FIELDS))
    where = places(machine.channels())
    if not add(reckoning, trail, where):
        return False
    for name in FIELDS:
        setattr(usage, name, getattr(reckoning, name))
    return True


def _readable(trail: Sequence[bytes]) -> Iterator[Frame]:
    for data in trail:
        try:
            yield frames.decode(data)
        except ValueError:  # of another version
            continue
