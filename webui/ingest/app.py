"""POST /api/v1/telemetry: appends the samples in a device's request to its machine's stream.

There is no middleware, no session and, for a token that was seen recently, no database query. A request is
acknowledged only when its samples are on disk.
"""

import logging
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError

from twin.fleet.identity import Identity
from twin.ingest.append import AsyncAppender, NotAccepted, Outcome
from twin.ingest.intake import RETRY_AWAY, Intake, source
from twin.ingest.refusal import Refusal
from twin.ingest.validation import Batch
from twin.valkey.aof_sync import AppendOnlyFile
from twin.valkey.async_client import AsyncClient
from webui.clock import now_us
from webui.ingest.answers import Answer, Refused, refused, taken
from webui.ingest.reading import Gone, Headers, encoding_of, form_by_header, receive_body, unpack
from webui.ingest.token_cache import TokenCache

log = logging.getLogger(__name__)

PATH = "/api/v1/telemetry"
CHALLENGE = 'Bearer realm="hydratwin"'
CLIENT_GONE = 499  # the client is gone; counted only


class Ingest:
    """The ASGI application."""

    def __init__(self, client: AsyncClient, tokens: TokenCache) -> None:
        self.intake = Intake("http")
        self._appender = AsyncAppender(client, AppendOnlyFile.from_settings())
        self._tokens = tokens
        self._max_body, self._body_s = settings.MAX_BODY, settings.BODY_S

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        try:
            answer = await self._answer(scope, receive)
        except Refusal as refusal:
            answer = self._refuse(refusal)
        except Gone:
            self.intake.counters.refused(CLIENT_GONE)
            return
        except Exception:
            log.exception("telemetry request failed")
            detail = "Internal error. Send the same body again; no sample is stored twice."
            answer = self._refuse(Refusal(500, "internal", detail))
        await answer.send(send)

    def _refuse(self, refusal: Refusal) -> Answer:
        self.intake.counters.refused(refusal.status)
        return refused(refusal)

    async def _answer(self, scope: dict[str, Any], receive: Any) -> Answer:
        if scope["method"] != "POST":
            detail = f"Method {scope['method']} is not allowed; use POST."
            raise Refused(405, "method.not_allowed", detail, Allow="POST")
        headers: Headers = dict(scope["headers"])
        identity = await self._identify(headers)
        self.intake.admit(identity)
        form, encoding = form_by_header(headers), encoding_of(headers)
        sent = await receive_body(headers, receive, self._max_body, self._body_s)
        received = now_us()
        batch = self.intake.validate(identity, unpack(sent, encoding, self._max_body), form, received)
        outcome = await self._append(identity, batch, received) if batch.samples else Outcome(0, 0)
        self.intake.accepted(identity, batch, outcome)
        return taken(outcome, batch.rejected)

    async def _identify(self, headers: Headers) -> Identity:
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not token:
            detail = "Send the device token as Authorization: Bearer <token>."
            raise Refused(401, "token.missing", detail, WWW_Authenticate=CHALLENGE)
        try:
            identity = await self._tokens.get(token.strip())
        except DatabaseError as error:
            self.intake.throttled_log.log("database", logging.WARNING, "device token not checked: %s", error)
            detail = "The device token cannot be checked at the moment; no sample was accepted."
            raise Refusal(503, "token.not_checked", detail, retry_after=RETRY_AWAY) from None
        if identity is None:
            detail = "The device token is unknown or revoked."
            raise Refused(
                401, "token.unknown", detail, WWW_Authenticate=f'{CHALLENGE}, error="invalid_token"'
            )
        return identity

    async def _append(self, identity: Identity, batch: Batch, received: int) -> Outcome:
        try:
            return await self._appender.append(source(identity, batch), batch.samples, received)
        except (NotAccepted, redis.RedisError, OSError) as error:
            raise self.intake.not_accepted(identity, error) from None
