"""Every form, filled in wrongly: it says what to do, and what was typed stays, but for passwords.

Which addresses have a form is read from the table of all routes: a new one has to be entered here.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.test import Client

from tests.unit.webui.test_every_route import EXPECTED, ROUTES, address_of, northern
from twin.accounts import members
from twin.audit.log import PLATFORM
from twin.fleet.models import Membership
from twin.fleet.permissions import Role
from twin.preferences.services import MOST_VIEWS, keep_view

pytestmark = pytest.mark.database
__all__ = ["northern"]  # the fixture

PASSWORD = "alice has a long password"
SECRET = "tiny"  # typed as a password: nowhere on the page afterwards


class Wrong(NamedTuple):
    """A form filled in wrongly."""

    typed: dict[str, Any]
    words: str  # that say what to do
    kept: tuple[str, ...] = ()  # names of fields that must hold what was typed
    status: int = 422
    lead: Callable[[Client, Any], str | None] = lambda client, story: None  # to the form; its address


def _asked_again(client: Client, story: Any) -> None:
    """The password was entered a moment ago."""
    client.get("/accounts/email/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def _at_the_second_factor(client: Client, story: Any) -> None:
    from tests.unit.accounts.test_accounts import set_up

    set_up(client)
    client.logout()
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})


def _with_a_second_factor(client: Client, story: Any) -> None:
    from tests.unit.accounts.test_accounts import set_up

    set_up(client)


def _invited(client: Client, story: Any) -> str:
    client.logout()
    return f"/accounts/invitations/{members.invite(PLATFORM, story.organisation, Role.OPERATOR, 'N').token}/"


def _signed_out(client: Client, story: Any) -> None:
    client.logout()


def _by_mail(client: Client, story: Any) -> str:
    client.logout()
    user = User.objects.get(pk=story.alice.pk)
    link = (
        f"/accounts/password/reset/key/{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}/"
    )
    return str(client.get(link)["Location"])


def _without_a_password(client: Client, story: Any) -> None:
    user = User.objects.get(pk=story.alice.pk)
    user.set_unusable_password()
    user.save()
    client.force_login(user)


def _with_all_views(client: Client, story: Any) -> None:
    for number in range(1, MOST_VIEWS):  # there is one already
        keep_view(story.alice, f"view {number}", "level=act")


_SITE = {"name": "Northern yard", "kind": "quarry", "east_m": "far", "north_m": "12.5"}
_HOOK = {"url": "https://10.0.0.1/hook", "events": ["machine.status_changed"]}
_NEW_PASSWORD = {"oldpassword": "wrong", "password1": SECRET, "password2": SECRET}
FORMS: dict[str, Wrong] = {
    "fleet:sites": Wrong(_SITE, "Enter a number", ("name", "east_m", "north_m")),
    "fleet:site": Wrong(_SITE, "Enter a number", ("name", "east_m", "north_m")),
    "fleet:save-view": Wrong({"name": "One more"}, "Delete one first", ("name",), 302, _with_all_views),
    "onboarding:organisation": Wrong(
        {"organisation": "Northern Lifting Oy", "username": "alice", "password": SECRET, "machine": "Rig 5"},
        "is taken. Choose another",
        ("organisation", "username", "machine"),
        lead=_signed_out,
    ),
    "onboarding:machine": Wrong(
        {"machine": "Northern rig", "model": "excavator"},
        "already has a machine with this name",
        ("machine",),
    ),
    "account_login": Wrong(
        {"login": "alice", "password": SECRET}, "case-sensitive", ("login",), 200, _signed_out
    ),
    "account_reauthenticate": Wrong({"password": SECRET}, "Wrong password", status=200),
    "account_change_password": Wrong(_NEW_PASSWORD, "This is not your current password", status=200),
    "account_set_password": Wrong(_NEW_PASSWORD, "too short", status=200, lead=_without_a_password),
    "account_reset_password": Wrong(
        {"email": "alice at home"}, "Enter a valid email address", ("email",), 200, _signed_out
    ),
    "account_reset_password_from_key": Wrong(_NEW_PASSWORD, "too short", status=200, lead=_by_mail),
    "mfa_authenticate": Wrong({"code": "000000"}, "the app shows now", ("code",), 200, _at_the_second_factor),
    "mfa_reauthenticate": Wrong(
        {"code": "000000"}, "the app shows now", ("code",), 200, _with_a_second_factor
    ),
    "mfa_activate_totp": Wrong({"code": "000000"}, "the app shows now", ("code",), 200, _asked_again),
    "accounts:email": Wrong({"email": "a@b@c"}, "Enter a valid email", ("email",), lead=_asked_again),
    "accounts:tokens": Wrong(
        {"name": "Nightly report", "place": "elsewhere", "days": "90"}, "Select a valid choice", ("name",)
    ),
    "accounts:invitation": Wrong(
        {"username": "Alice", "email": "a@example.org", "password1": SECRET, "password2": SECRET},
        "is taken. Choose another",
        ("username", "email"),
        lead=_invited,
    ),
    "organisation:members": Wrong({"note": "Nora", "role": "king"}, "king is not one of", ("note",)),
    "organisation:sharing": Wrong({"machine": "", "code": "12-34"}, "A code looks like", ("code",)),
    "organisation:webhooks": Wrong(_HOOK, "not a public address", ("url", "events")),
    "organisation:webhook": Wrong(_HOOK, "not a public address", ("url", "events")),
}
# a click, nothing typed
BUTTONS = {
    "fleet:delete-view", "fleet:delete-site", "preferences:units", "preferences:tour", "preferences:language",
    "account_logout", "mfa_deactivate_totp", "mfa_generate_recovery_codes", "accounts:end-others",
    "accounts:end-session", "accounts:revoke-token", "organisation:change-role", "organisation:remove-member",
    "organisation:withdraw", "organisation:stop-sharing", "organisation:new-secret",
    "organisation:test-webhook", "organisation:remove-webhook", "organisation:send-again",
    "home", "admin-login",  # lead on
}  # fmt: skip


def test_every_address_with_a_form_is_tried(northern: Any, story: Any, client: Client) -> None:
    client.force_login(story.alice)
    for route in ROUTES:
        if route.name in FORMS or route.name in BUTTONS or route.name.startswith(("admin:", "api:")):
            continue
        response = client.post(address_of(route, northern))
        assert response.status_code in (403, 404, 405), f"{route.name} takes a form that is not tried here"
    assert FORMS.keys() | BUTTONS <= EXPECTED.keys()


@pytest.mark.parametrize("name", FORMS)
def test_a_form_that_fails_says_what_to_do_and_loses_nothing(
    name: str, northern: Any, story: Any, client: Client
) -> None:
    wrong = FORMS[name]
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.ADMINISTRATOR)
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    (route,) = [route for route in ROUTES if route.name == name]
    address = wrong.lead(client, story) or address_of(route, northern)
    response = client.post(address, wrong.typed)
    assert response.status_code == wrong.status
    if wrong.status == 302:
        response = client.get(response["Location"])
    page = response.content.decode()
    assert wrong.words in page
    for field in wrong.kept:
        assert holds(page, field, wrong.typed[field]), f"{field} is empty again"
    assert f'value="{SECRET}"' not in page


def test_a_wrong_filter_of_the_log_says_what_is_wrong(story: Any, client: Client) -> None:
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.ADMINISTRATOR)
    client.force_login(story.alice)
    answer = client.get(
        f"/organisations/{story.organisation.pk}/audit/", {"who": "bob", "since": "yesterday"}
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Enter a valid date" in page
    assert holds(page, "who", "bob")
    assert holds(page, "since", "yesterday")


def holds(page: str, field: str, typed: str | list[str]) -> bool:
    """Is it in the field, or chosen among its boxes?"""
    if isinstance(typed, list):
        return all(re.search(rf'name="{field}" value="{value}"[^>]* checked', page) for value in typed)
    return bool(re.search(rf'name="{field}"[^>]* value="{re.escape(typed)}"', page)) or bool(
        re.search(rf'value="{re.escape(typed)}"[^>]* name="{field}"', page)
    )


# what interrupts a form


def test_whoever_is_signed_out_meanwhile_comes_back_to_the_form(story: Any, client: Client) -> None:
    """And not to the address of a button, which shows nothing."""
    page = "http://testserver/machines/?level=act"
    answer = client.post("/machines/views/", {"name": "Mine"}, headers={"referer": page})
    assert answer["Location"] == "/accounts/login/?next=/machines/%3Flevel%3Dact"
    assert "data-interrupted" in client.get(answer["Location"]).content.decode()
    elsewhere = {"referer": "https://elsewhere.example/machines/"}
    assert client.post("/machines/views/", headers=elsewhere)["Location"] == "/accounts/login/?next=/"


def test_a_form_of_another_session_says_that_nothing_is_lost(story: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(story.alice)
    page = strict.post("/machines/views/", {"name": "Mine"}).content.decode()
    assert "Your input is kept" in page
    assert "data-interrupted" in page


def test_the_address_of_a_button_says_so_in_words(story: Any, client: Client) -> None:
    client.force_login(story.alice)
    answer = client.get("/machines/views/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "belongs to a button or form" in answer.content.decode()
