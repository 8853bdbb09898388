"""The history of a machine for programs: whole, in pages, summed up, and what is refused."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.unit.history.conftest import DEVICE, STEP_US, T0
from twin.history.columns import Taken
from twin.history.writing import store

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def ask(batch: Any, story: Any, client: Client) -> Any:
    """Ten seconds at 50 Hz in three segments; asks as Alice."""
    store([batch(0, 200)])
    store([batch(200, 450, after=200)])
    store([batch(450, 500, after=450)])
    client.force_login(story.alice)

    def get(**query: Any) -> Any:
        span = {"from": T0, "to": T0 + 10_000_000}
        return client.get(f"/api/v1/machines/{story.machine.pk}/history", {**span, **query})

    return get


def all_pages(ask: Any, **query: Any) -> list[dict[str, Any]]:
    pages = [ask(**query).json()]
    while pages[-1]["next"]:
        pages.append(ask(**query, page=pages[-1]["next"]).json())
    return pages


def column(pages: list[dict[str, Any]], channel: str, of: str = "value") -> list[Any]:
    return [x for page in pages for each in page["channels"] if each["name"] == channel for x in each[of]]


def test_samples_come_back_as_they_were_sent(ask: Any) -> None:
    page = ask(channels="hose.p,crank.angle", resolution="raw").json()
    assert (page["resolution"], page["next"]) == ("raw", None)
    assert page["t"] == [T0 + k * STEP_US for k in range(500)]
    assert column([page], "hose.p") == [float(k) for k in range(500)]
    assert [(each["name"], each["unit"]) for each in page["channels"]] == [
        ("hose.p", "Pa"),
        ("crank.angle", "rad"),
    ]


@pytest.mark.parametrize(
    ("limit", "first", "last"),
    [(1, 195, 205), (37, 0, 500), (200, 0, 500), (499, 0, 500), (500, 0, 500), (100, 150, 460)],
)
def test_pages_together_are_the_whole(ask: Any, limit: int, first: int, last: int) -> None:
    span = {"from": T0 + first * STEP_US, "to": T0 + last * STEP_US}
    pages = all_pages(ask, channels="hose.p", resolution="raw", limit=limit, **span)
    assert column(pages, "hose.p") == [float(k) for k in range(first, last)]
    assert all(len(page["t"]) <= limit for page in pages)


def test_samples_of_the_same_time_are_all_on_some_page(ask: Any, batch: Any) -> None:
    same = [(k, T0 + STEP_US, {"hose.p": 1000.0 + k}) for k in range(20)]
    store([batch(0, 0, after=500, last_id="501-0", taken=[Taken(DEVICE, "other", same)])])
    pages = all_pages(ask, channels="hose.p", resolution="raw", limit=6, to=T0 + 3 * STEP_US)
    assert column(pages, "hose.p") == [0.0, 1.0, *(1000.0 + k for k in range(20)), 2.0]


def test_seconds_are_summed_up_to_any_length(ask: Any) -> None:
    page = ask(channels="hose.p", resolution="4").json()
    assert page["t"] == [T0, T0 + 4_000_000, T0 + 8_000_000]  # T0 is a multiple of four seconds
    assert column([page], "hose.p", "count") == [200, 200, 100]
    assert column([page], "hose.p", "min") == [0.0, 200.0, 400.0]
    assert column([page], "hose.p", "max") == [199.0, 399.0, 499.0]
    assert column([page], "hose.p", "mean") == pytest.approx([99.5, 299.5, 449.5])


def test_summaries_come_in_pages_too(ask: Any) -> None:
    pages = all_pages(ask, channels="hose.p", resolution="1", limit=3)
    assert [len(page["t"]) for page in pages] == [3, 3, 3, 1]
    assert column(pages, "hose.p", "count") == [50] * 10


def test_a_channel_without_readings_is_null_beside_one_that_has_some(ask: Any) -> None:
    page = ask(channels="hose.p,cylinder.p_B", resolution="1").json()
    assert column([page], "cylinder.p_B", "mean") == [None] * 10
    raw = ask(channels="hose.p,cylinder.p_B", resolution="raw", limit=3).json()
    assert column([raw], "cylinder.p_B") == [None] * 3
    assert ask(channels="cylinder.p_B", resolution="raw").json()["t"] == []


def test_auto_answers_samples_of_a_short_time_and_summaries_of_a_long_one(ask: Any) -> None:
    assert ask().json()["resolution"] == "raw"
    assert ask(to=T0 + 1_000_000_000).json()["resolution"] == 1
    assert ask(to=T0 + 86_400_000_000).json()["resolution"] == 60
    page = ask(**{"from": "2025-11-16T00:00:00Z", "to": "2025-11-16T00:00:05Z"}).json()
    assert page["from"] == T0
    assert len(page["t"]) == 250


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"channels": "hose.p,unicorn"}, "channels", "'unicorn'.*must be one of:.*hose.p"),
        ({"channels": "cylinder.p_A"}, "channels", "no history"),
        ({"from": "yesterday"}, "from", "'yesterday'.*RFC 3339"),
        ({"to": "9" * 30}, "to", "must be microseconds"),
        ({"from": T0, "to": T0}, "from", "must be before"),
        ({"resolution": "0"}, "resolution", "'0'; must be raw, auto"),
        ({"resolution": "1.5"}, "resolution", "1 to 86400"),
        ({"resolution": "86401"}, "resolution", "1 to 86400"),
        ({"limit": "0"}, "limit", ""),
        ({"limit": "10001"}, "limit", ""),
        ({"page": "x"}, "page", "an earlier response"),
        ({"page": "x-1"}, "page", "microseconds"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(
    ask: Any, query: dict[str, Any], field: str, words: str
) -> None:
    response = ask(**query)
    assert response.status_code == 422
    assert response["Content-Type"] == "application/problem+json"
    (error,) = response.json()["errors"]
    assert error["field"] == f"query.{field}"
    assert re.search(words, error["reason"])


def test_a_stranger_and_a_missing_machine_are_the_same(ask: Any, story: Any, client: Client) -> None:
    client.force_login(story.charlie)
    assert ask().status_code == 404
