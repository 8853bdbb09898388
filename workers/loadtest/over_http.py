"""A machine that sends over HTTP: one connection, one body at a time, again until it is acknowledged."""

import asyncio
import json

from workers.loadtest.machine import AGAIN_S, NO_ANSWER_S, PER_BODY, Machine

HOST = "127.0.0.1"
LONGEST_WAIT_S = 2.0  # however long the server would like to be left alone: the test is bounded


class Connection:
    """Speaks just enough HTTP to cost less than what it measures."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self._reader = reader
        self._writer = writer
        self._head = (
            f"POST /api/v1/telemetry HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )

    async def post(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Status, headers in lower case, content."""
        self._writer.write(f"{self._head}{len(body)}\r\n\r\n".encode() + body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        content = await self._reader.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, content

    def close(self) -> None:
        self._writer.close()


async def play(machine: Machine, port: int) -> None:
    connection: Connection | None = None
    while not machine.done:
        body = await machine.body(machine.acked)
        try:
            async with asyncio.timeout(NO_ANSWER_S):
                if connection is None:
                    connection = Connection(*await asyncio.open_connection(HOST, port), machine.who.token)
                status, headers, content = await connection.post(body)
        except (OSError, EOFError, ValueError, KeyError):  # TimeoutError is an OSError
            if connection is not None:
                connection.close()
            connection = None
            await asyncio.sleep(AGAIN_S)
            continue
        if status == 202:
            await _taken(machine, content)
        else:
            await asyncio.sleep(min(LONGEST_WAIT_S, float(headers.get("retry-after", AGAIN_S))))
    if connection is not None:
        connection.close()


async def _taken(machine: Machine, content: bytes) -> None:
    until = min(machine.acked + PER_BODY, machine.count)
    rejected = json.loads(content)["rejected"]
    again = [machine.acked + each["index"] for each in rejected if each["retry"]]
    machine.refused += sum(not each["retry"] for each in rejected)
    machine.acknowledged(min([until, *again]))
    if again:
        await asyncio.sleep(AGAIN_S)
