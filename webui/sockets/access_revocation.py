"""Closes the open sockets of people who lose access, in every process, through the channel layer."""

import asyncio
import logging
from collections import defaultdict
from typing import Protocol

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.contrib.auth import get_user
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from twin.fleet.models import Machine
from twin.log_on_change import LogOnChange
from webui.tasks import end

log = logging.getLogger(__name__)

GROUP = "access"
RENEW = 30.0  # s between joining the group again, in case the layer's server lost it
PAUSE = 1.0  # s before the next attempt to reach the layer


class Socket(Protocol):
    async def check_access(self) -> None: ...


def announce_access_change(user_id: int) -> None:
    """Make every process check this person's sockets.

    Never raises, because sockets also check periodically.
    """
    layer = get_channel_layer()
    try:
        async_to_sync(layer.group_send)(GROUP, {"type": "access.changed", "user": user_id})
    except Exception as error:  # the layer's backend may raise anything
        log.warning("could not announce the access change of user %s: %s", user_id, error)


def user_of(session_key: str | None) -> AbstractBaseUser | AnonymousUser:
    """Return the current user of a session. Queries the database."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    return get_user(request)


def may_watch(session_key: str | None, machine_id: str) -> bool:
    """Return whether the session's user may still see the machine. Queries the database."""
    return Machine.objects.for_user(user_of(session_key)).filter(pk=machine_id).exists()


class AccessRevocation:
    """Keeps the open sockets of this process by user, and checks them when access changes."""

    def __init__(self) -> None:
        self._sockets: dict[int, set[Socket]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self._log = LogOnChange(log, recovered="channel layer is back")

    def add(self, user_id: int, socket: Socket) -> None:
        self._sockets[user_id].add(socket)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="access watch")

    def remove(self, user_id: int, socket: Socket) -> None:
        self._sockets[user_id].discard(socket)
        if not self._sockets[user_id]:
            del self._sockets[user_id]

    async def stop(self) -> None:
        await end(self._task)

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as error:  # the layer's backend may raise anything
                self._log.report(f"channel layer lost: {error}; retrying every {PAUSE:g} s", state="lost")
            await asyncio.sleep(PAUSE)
            await self._check_all()

    async def _listen(self) -> None:
        layer = get_channel_layer()
        channel = await layer.new_channel()
        await layer.group_add(GROUP, channel)
        await self._check_all()  # earlier messages were missed
        self._log.ok()
        while True:
            try:
                async with asyncio.timeout(RENEW):
                    message = await layer.receive(channel)
            except TimeoutError:
                await layer.group_add(GROUP, channel)
            else:
                await self._check(message["user"])

    async def _check_all(self) -> None:
        for user_id in tuple(self._sockets):
            await self._check(user_id)

    async def _check(self, user_id: int) -> None:
        await asyncio.gather(*(socket.check_access() for socket in tuple(self._sockets.get(user_id, ()))))
