"""Cancels background tasks and waits until they have ended."""

import asyncio


async def end(task: "asyncio.Task[None] | None") -> None:
    """Cancel a task repeatedly, until it has ended.

    Cancelling once is not enough, because a library may mistake the cancellation for its own timeout and
    continue.
    """
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.2)
