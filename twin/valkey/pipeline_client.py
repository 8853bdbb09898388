"""A connection to the telemetry server for a loop that asks much at once and waits for the answers.

A pipeline of redis-py takes six times the processor time.
"""

import socket
from collections.abc import Sequence
from typing import Any

import hiredis
import redis

from twin.valkey.address import Address
from twin.valkey.scripts import Script, not_known

RECEIVED = 262_144  # bytes at a time
_NOTHING = object()


class Wire:
    """Made when it is needed, and anew after a failure."""

    def __init__(self, url: str, seconds: float) -> None:
        self._address = Address.of(url)
        self._seconds = seconds  # for a part of the answers to come, or for the connection
        self._socket: socket.socket | None = None
        self._reader: hiredis.Reader

    def ask(self, packed: Sequence[bytes]) -> list[Any]:
        """The answers to some commands, among them exceptions for those that failed; else raises RedisError.

        A connection may have been cut while nobody used it, so they are sent once more on a new one: use it
        only for what can be said twice.
        """
        fresh = self._socket is None
        try:
            return self._ask(packed)
        except redis.ConnectionError:
            if fresh:
                raise
        return self._ask(packed)

    def ask_same(self, packed: Sequence[bytes]) -> list[Any]:
        """The same over the connection of the last question or, if that is lost, not at all."""
        if self._socket is None:
            raise redis.ConnectionError("the connection is lost")
        return self._ask(packed)

    def call(self, packed: Sequence[bytes], *scripts: Script) -> list[Any]:
        """The same for calls of scripts, which the server is told when it does not know them."""
        answers = self.ask(packed)
        missed = not_known(answers)
        if missed:
            again = self.ask([*(script.loading for script in scripts), *(packed[i] for i in missed)])
            for i, answer in zip(missed, again[len(scripts) :], strict=True):
                answers[i] = answer
        return answers

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _ask(self, packed: Sequence[bytes]) -> list[Any]:
        try:
            return self._exchange(self._socket or self._connect(), packed)
        except TimeoutError:
            self.close()  # answers that come later would be taken for those to the next question
            raise redis.TimeoutError("the server does not answer") from None
        except OSError as error:
            self.close()
            raise redis.ConnectionError(str(error)) from error

    def _connect(self) -> socket.socket:
        host, port, path, tls, greeting = self._address
        if path:
            made = socket.socket(socket.AF_UNIX)
            made.settimeout(self._seconds)
            made.connect(path)
        else:
            made = socket.create_connection((host, port), timeout=self._seconds)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = made = tls.wrap_socket(made, server_hostname=host) if tls else made
        self._reader = hiredis.Reader(replyError=redis.ResponseError, notEnoughData=_NOTHING)
        for answer in self._exchange(made, greeting) if greeting else ():
            if isinstance(answer, redis.ResponseError):
                self.close()
                raise answer
        return made

    def _exchange(self, connection: socket.socket, packed: Sequence[bytes]) -> list[Any]:
        connection.sendall(b"".join(packed))
        answers: list[Any] = []
        while len(answers) < len(packed):
            if not (data := connection.recv(RECEIVED)):
                raise ConnectionError("closed by the server")
            self._reader.feed(data)
            while (answer := self._reader.gets()) is not _NOTHING:
                answers.append(answer)
        return answers


def good(answers: Sequence[Any]) -> Sequence[Any]:
    """The answers, if none of them is an error; else raises the first."""
    for answer in answers:
        if isinstance(answer, redis.RedisError):
            raise answer
    return answers
