"""POST /api/v1/telemetry: from a device's request to its machine's stream.

No middleware, no session and, for a token seen before, no query. A request is acknowledged only when the
append script has answered: by then its samples are on disk.
"""

import logging
from typing import Any

import redis
import redis.asyncio
from django.conf import settings
from django.db import DatabaseError

from twin.fleet.identity import Identity
from twin.telemetry.append import AsyncAppender, Outcome, Source, StreamFull
from twin.telemetry.body import BadBody, Malformed
from twin.telemetry.limits import Limits
from twin.telemetry.validation import Batch, validate
from webui.clock import now_us
from webui.ingest.answers import Answer, Refused, taken
from webui.ingest.reading import Gone, Headers, encoding_of, form_of, read_body, unpack
from webui.ingest.token_cache import TokenCache
from webui.problems import FieldError

log = logging.getLogger(__name__)

PATH = "/api/v1/telemetry"
CHALLENGE = 'Bearer realm="hydratwin"'
RETRY_FULL, RETRY_AWAY = "10", "2"  # s


class Ingest:
    """The ASGI application."""

    def __init__(self, client: redis.asyncio.Redis, tokens: TokenCache) -> None:
        self._appender = AsyncAppender(client)
        self._tokens = tokens
        self._limits = Limits.from_settings()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        try:
            answer = await self._answer(scope, receive)
        except Refused as refused:
            answer = refused.answer
        except Gone:
            return
        except Exception:
            log.exception("telemetry request failed")
            answer = Refused(
                500, "Something went wrong on our side; send the same again: no sample is taken twice."
            ).answer
        await answer.send(send)

    async def _answer(self, scope: dict[str, Any], receive: Any) -> Answer:
        if scope["method"] != "POST":
            raise Refused(405, f"{scope['method']} is not possible here; use POST.", Allow="POST")
        headers: Headers = dict(scope["headers"])
        identity = await self._identify(headers)
        form, encoding = form_of(headers), encoding_of(headers)
        data = unpack(await read_body(headers, receive, settings.MAX_BODY), encoding, settings.MAX_BODY)
        received = now_us()
        try:
            batch = validate(data, form, identity.channels, received, self._limits)
        except Malformed as error:
            raise Refused(400, f"The body {error}.", [FieldError("body", str(error))]) from None
        except BadBody as error:
            raise Refused(422, f"{error}.", [FieldError(error.field, error.reason)]) from None
        outcome = await self._append(identity, batch, received) if batch.samples else Outcome(0, 0)
        if batch.rejected:
            first = batch.rejected[0]
            log.info(
                "device %s: %d of %d samples refused, first: %s %s",
                *(identity.device, len(batch.rejected), len(batch.rejected) + len(batch.samples)),
                *(first.field, first.reason),
            )
        return taken(outcome, batch.rejected)

    async def _identify(self, headers: Headers) -> Identity:
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not token:
            detail = "Send the device token as Authorization: Bearer <token>."
            raise Refused(401, detail, WWW_Authenticate=CHALLENGE)
        try:
            identity = await self._tokens.get(token.strip())
        except DatabaseError as error:
            log.warning("device token not checked: %s", error)
            detail = "The device token cannot be checked at the moment; nothing was taken."
            raise Refused(503, detail, Retry_After=RETRY_AWAY) from None
        if identity is None:
            detail = "The device token is unknown or revoked."
            raise Refused(401, detail, WWW_Authenticate=f'{CHALLENGE}, error="invalid_token"')
        return identity

    async def _append(self, identity: Identity, batch: Batch, received: int) -> Outcome:
        source = Source(identity.machine, identity.device, batch.boot)
        try:
            return await self._appender.append(source, batch.samples, received)
        except StreamFull:
            log.warning("stream of machine %s is full", identity.machine)
            detail = "The machine's stream is full; nothing was taken, send it again later."
            raise Refused(503, detail, Retry_After=RETRY_FULL) from None
        except (redis.RedisError, OSError) as error:
            log.warning("telemetry server: %s", error)
            detail = "The telemetry server does not answer; send the same samples again."
            raise Refused(503, detail, Retry_After=RETRY_AWAY) from None
