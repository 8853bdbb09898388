"""Ending background tasks."""

import asyncio


async def end(task: "asyncio.Task[None] | None") -> None:
    """Cancel a task until it has ended.

    Once is not enough: a library that waits with a timeout of its own may take the cancellation for that.
    """
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.2)
