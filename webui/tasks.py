"""Ending background tasks."""

import asyncio


async def end(task: "asyncio.Task[None] | None") -> None:
    """Cancel a task, repeatedly, until it has ended.

    A library may mistake one cancellation for its own timeout and go on.
    """
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.2)
