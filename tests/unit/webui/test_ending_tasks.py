"""Ending a background task, even one that does not listen the first time."""

import asyncio

from tests.waiting import PATIENCE_S
from webui.tasks import end


async def test_a_task_that_swallows_a_cancellation_ends_all_the_same() -> None:
    async def deaf_once() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)

    task = asyncio.create_task(deaf_once())
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_S):
        await end(task)
    assert task.cancelled()


async def test_no_task_and_a_finished_one_need_no_ending() -> None:
    await end(None)
    task = asyncio.create_task(asyncio.sleep(0))
    await task
    await end(task)
