"""Plays draws, in this process or in several."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from typing import Any

Job = tuple[int, str | None, str | None, float, bool]  # arguments of `tests.field.draws.draw`


def play_all(jobs: Sequence[Job], processes: int) -> Iterator[dict[str, Any]]:
    """Records in the order of the jobs."""
    if processes < 2:
        yield from map(play_one, jobs)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(play_one, jobs)


def play_one(job: Job) -> dict[str, Any]:
    """A record; sets Django up, whose models the platform's twin builder imports."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "twin.settings")
    import django

    django.setup()
    from tests.field.draws import draw
    from tests.field.record import run

    return run(draw(*job))
