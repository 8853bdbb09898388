"""The cache of tokens: fast, short-lived, and wrong never for longer than the news takes."""

from typing import Any

import pytest
from django.db import OperationalError

from twin.fleet import tokens
from twin.fleet.identity import Identity
from twin.ingest import identity_cache
from webui.ingest.token_cache import TokenCache

TOKEN = tokens.make().text
DEVICE = Identity("device", "machine", {})


class Directory:
    """Stands for the database, and counts how often it is asked."""

    def __init__(self) -> None:
        self.known = {TOKEN: DEVICE}
        self.asked = 0
        self.away = False

    async def __call__(self, token: str) -> Identity | None:
        self.asked += 1
        if self.away:
            raise OperationalError("gone")
        return self.known.get(token)


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def cache(directory: Directory) -> TokenCache:
    return TokenCache(directory)


async def test_a_token_is_looked_up_once(cache: TokenCache, directory: Directory) -> None:
    assert [await cache.get(TOKEN) for _ in range(5)] == [DEVICE] * 5
    assert directory.asked == 1


async def test_a_wrong_token_is_refused_and_asked_for_once(cache: TokenCache, directory: Directory) -> None:
    wrong = tokens.make().text
    assert [await cache.get(wrong) for _ in range(5)] == [None] * 5
    assert directory.asked == 1


async def test_what_is_no_token_is_not_even_looked_up(cache: TokenCache, directory: Directory) -> None:
    assert await cache.get("password") is None
    assert directory.asked == 0


async def test_news_of_a_revocation_ends_it_at_once(cache: TokenCache, directory: Directory) -> None:
    await cache.get(TOKEN)
    directory.known.clear()
    cache.clear()
    assert await cache.get(TOKEN) is None


@pytest.mark.parametrize("changed", ["device", "machine"])
async def test_news_of_a_device_or_machine_concerns_its_tokens_and_unknown_ones(
    cache: TokenCache, directory: Directory, changed: str
) -> None:
    other, new = tokens.make().text, tokens.make().text
    directory.known[other] = Identity("other device", "other machine", {})
    for token in (TOKEN, other, new):
        await cache.get(token)
    del directory.known[TOKEN]
    directory.known[new] = DEVICE
    cache.forget(changed)
    asked = directory.asked
    assert await cache.get(TOKEN) is None
    assert await cache.get(new) == DEVICE
    assert directory.asked == asked + 2
    assert await cache.get(other) == directory.known[other]
    assert directory.asked == asked + 2


async def test_without_news_it_ends_after_its_life(
    cache: TokenCache, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cache.get(TOKEN)
    directory.known.clear()
    later = identity_cache.time.monotonic() + identity_cache.LIFE_S
    monkeypatch.setattr(identity_cache.time, "monotonic", lambda: later)
    assert await cache.get(TOKEN) is None


async def test_an_answer_overtaken_by_news_is_not_kept(directory: Directory) -> None:
    async def look_up(token: str) -> Identity | None:
        cache.clear()  # the token is revoked while the database answers
        return await directory(token)

    cache = TokenCache(look_up)
    await cache.get(TOKEN)
    await cache.get(TOKEN)
    assert directory.asked == 2


async def test_a_pause_of_the_database_locks_out_only_who_was_not_in(
    cache: TokenCache, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cache.get(TOKEN)
    directory.away = True
    later = identity_cache.time.monotonic() + identity_cache.LIFE_S
    monkeypatch.setattr(identity_cache.time, "monotonic", lambda: later)
    assert await cache.get(TOKEN) == DEVICE
    with pytest.raises(OperationalError):
        await cache.get(tokens.make().text)


async def test_the_cache_stays_small(cache: TokenCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity_cache, "SIZE", 3)
    for _ in range(10):
        await cache.get(tokens.make().text)
    held: dict[Any, Any] = cache._cache._unknown
    assert len(held) <= 3
