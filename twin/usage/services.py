"""Reads the recent frames of all twins and updates the usage of their machines."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import redis

from twin import keys
from twin.fleet.models import Machine
from twin.runtime import frames
from twin.runtime.frames import Frame
from twin.usage.meter import Totals, add, channel_indexes
from twin.usage.models import Usage

TOGETHER = 20  # machines read at a time: the recent frames of one may be half a megabyte
NEWEST = 80  # frames read first: 20 s, twice the interval of the task
FIELDS = ("until_us", "run_s", "energy_joule", "fuel_kg", "recent")


def count_usage(client: redis.Redis) -> int:
    """Update the usage of every machine up to its last frame; return how many changed."""
    machines = Machine.objects.for_runtime().iterator(chunk_size=TOGETHER)
    return sum(_count(client, some) for some in _together(machines))


def _together(machines: Iterable[Machine]) -> Iterator[list[Machine]]:
    rest = iter(machines)
    while some := list(islice(rest, TOGETHER)):
        yield some


def _count(client: redis.Redis, machines: Sequence[Machine]) -> int:
    known = {usage.machine_id: usage for usage in Usage.objects.for_runtime().filter(machine__in=machines)}
    usages = [known.get(machine.pk) or Usage(machine=machine) for machine in machines]
    recent = _recent(client, machines, -NEWEST)
    behind = [k for k, usage in enumerate(usages) if recent[k] and recent[k][0].t > usage.until_us]
    for k, whole in zip(behind, _recent(client, [machines[k] for k in behind], 0), strict=True):
        recent[k] = whole
    changed = [
        usage
        for machine, usage, found in zip(machines, usages, recent, strict=True)
        if _add(usage, machine, found)
    ]
    Usage.objects.bulk_create(changed, update_conflicts=True, unique_fields=["machine"], update_fields=FIELDS)
    return len(changed)


def _recent(client: redis.Redis, machines: Sequence[Machine], first: int) -> list[list[Frame]]:
    """Return the recent frames of each machine from index `first` on, oldest first."""
    pipe = client.pipeline(transaction=False)
    for machine in machines:
        pipe.lrange(keys.recent_frames(machine.pk), first, -1)
    return [list(_readable(found)) for found in pipe.execute()]


def _add(usage: Usage, machine: Machine, recent: Sequence[Frame]) -> bool:
    totals = Totals(*(getattr(usage, name) for name in FIELDS))
    if not add(totals, recent, channel_indexes(machine.channels())):
        return False
    for name in FIELDS:
        setattr(usage, name, getattr(totals, name))
    return True


def _readable(recent: Sequence[bytes]) -> Iterator[Frame]:
    for data in recent:
        try:
            yield frames.decode(data)
        except ValueError:  # written by another version
            continue
