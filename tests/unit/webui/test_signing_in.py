"""Signing in and out, and what happens to those who guess."""

from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.database

LOGIN = "/accounts/login/"


def sign_in(client: Client, name: str, password: str, address: str = "127.0.0.1", **more: Any) -> Any:
    return client.post(LOGIN, {"login": name, "password": password, **more}, REMOTE_ADDR=address)


def test_alice_signs_in_and_reaches_her_fleet(story: Any, client: Client) -> None:
    response = sign_in(client, "alice", "alice has a long password")
    assert (response.status_code, response["Location"]) == (302, "/")
    assert client.get("/", follow=True).redirect_chain == [("/machines/", 302)]


def test_a_page_asked_for_before_is_shown_after(story: Any, client: Client) -> None:
    address = f"/machines/{story.machine.pk}/"
    asked = client.get(address)
    assert asked["Location"] == f"{LOGIN}?next={address}"
    response = sign_in(client, "alice", "alice has a long password", next=address)
    assert response["Location"] == address


def test_nobody_is_sent_to_a_foreign_site(story: Any, client: Client) -> None:
    response = sign_in(client, "alice", "alice has a long password", next="https://evil.example/")
    assert response["Location"] == "/"


def test_five_wrong_passwords_close_the_door_for_a_quarter_of_an_hour(story: Any, client: Client) -> None:
    answers = [sign_in(client, "alice", "guess").status_code for _ in range(5)]
    assert answers == [200, 200, 200, 200, 429]
    right = sign_in(client, "alice", "alice has a long password")
    assert right.status_code == 429
    assert right["Retry-After"] == "900"
    assert "15 minutes" in right.content.decode()


def test_guessing_locks_out_neither_bob_nor_alice_elsewhere(story: Any, client: Client) -> None:
    for _ in range(6):
        sign_in(client, "alice", "guess", address="10.9.9.9")
    assert sign_in(Client(), "bob", "bob has a long password", address="10.9.9.9").status_code == 302
    assert sign_in(Client(), "alice", "alice has a long password").status_code == 302


def test_a_success_forgives_earlier_mistakes(story: Any, client: Client) -> None:
    for _ in range(3):
        for _ in range(4):
            assert sign_in(Client(), "alice", "guess").status_code == 200
        assert sign_in(Client(), "alice", "alice has a long password").status_code == 302


def test_signing_out_takes_a_form_not_a_link(story: Any, client: Client) -> None:
    client.force_login(story.alice)
    assert client.get("/accounts/logout/").status_code == 405
    assert client.get("/machines/").status_code == 200
    assert client.post("/accounts/logout/")["Location"] == LOGIN
    assert client.get("/machines/").status_code == 302


def test_a_form_from_elsewhere_is_refused_in_words(story: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    response = sign_in(strict, "alice", "alice has a long password")
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()


def test_who_has_no_business_in_the_admin_is_told_so(story: Any, client: Client) -> None:
    client.force_login(story.alice)
    assert client.get("/admin/", follow=True).status_code == 403
