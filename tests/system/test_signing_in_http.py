"""The limit of wrong passwords, over real HTTP."""

import re

import httpx
import pytest

from tests.system.stack import Stack
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.system


def guess(client: httpx.Client, said: str) -> int:
    page = client.get("/accounts/login/").text
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = {"login": "mallory", "password": "guess", "csrfmiddlewaretoken": token[1]}
    return client.post("/accounts/login/", data=form, headers={"X-Forwarded-For": said}).status_code


def test_nobody_evades_the_limit_by_claiming_to_ask_for_others(shared_stack: Stack) -> None:
    with httpx.Client(base_url=shared_stack.url, timeout=PATIENCE_S) as client:
        answers = [guess(client, f"10.0.0.{number}") for number in range(5)]
    assert answers == [200, 200, 200, 200, 429]


def test_requests_are_not_logged_one_by_one(shared_stack: Stack) -> None:
    page = f"{shared_stack.url}/accounts/login/?tell-tale"
    assert httpx.get(page, timeout=PATIENCE_S).status_code == 200
    assert "tell-tale" not in shared_stack.log("web")
