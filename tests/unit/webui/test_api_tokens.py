"""Programs sign in with tokens of people: in one organisation, with at most one role, until it is revoked."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from twin.accounts import api_tokens
from twin.accounts.models import ApiToken
from twin.audit.log import PLATFORM
from twin.fleet import tokens
from twin.fleet.models import Machine, Membership
from twin.fleet.permissions import TABLE, Permission, Role
from twin.fleet.services import Refused, issue_token

pytestmark = pytest.mark.database
MACHINES = "/api/v1/machines"


def made(story: Any, role: Role = Role.FLEET_MANAGER, **more: Any) -> str:
    return api_tokens.make(PLATFORM, story.alice, story.organisation, role, "a program", **more)[1]


def ask(token: str, address: str = MACHINES) -> Any:
    return Client().get(address, headers={"Authorization": f"Bearer {token}"})


def test_a_token_is_made_on_its_page_and_shown_once(story: Any, client: Client) -> None:
    client.force_login(story.alice)
    form = {"name": "Report", "place": f"{story.organisation.pk} maintenance", "days": "30"}
    page = client.post("/accounts/tokens/", form).content.decode()
    found = re.search(r'value="(hta_[a-z2-7]{8}_[\w-]{43})"', page)
    assert found
    assert [row["name"] for row in ask(found[1]).json()["items"]] == ["Northern rig"]
    again = client.get("/accounts/tokens/").content.decode()
    assert found[1] not in again
    assert "Report" in again
    row = ApiToken.objects.for_user(story.alice).get()
    assert (row.role, row.used_at is not None) == (Role.MAINTENANCE, True)
    client.post(f"/accounts/tokens/{row.pk}/revoke/")
    assert ask(found[1]).status_code == 401


def test_a_token_reaches_one_organisation(story: Any) -> None:
    Membership.objects.create(user=story.alice, organisation=story.strangers, role=Role.ADMINISTRATOR)
    assert Machine.objects.for_user(story.alice).count() == 2
    assert [row["name"] for row in ask(made(story)).json()["items"]] == ["Northern rig"]


def test_a_token_has_at_most_its_role_and_at_most_its_owners(story: Any) -> None:
    history = f"{MACHINES}/{story.machine.pk}/history"
    low, high = made(story, Role.OPERATOR), made(story)
    assert ask(low).status_code == 200
    answer = ask(low, history)
    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"
    assert ask(high, history).status_code == 200
    rows = Membership.objects.for_runtime().filter(user=story.alice)
    rows.update(role=Role.OPERATOR)  # whose role allows no tokens
    assert ask(high).status_code == 401
    with pytest.raises(Refused):
        made(story)
    rows.delete()
    assert ask(high).status_code == 401


def test_roles_of_a_token_allow_nothing_beyond_ones_own(story: Any) -> None:
    for role in Role:
        membership = Membership(user=story.alice, organisation=story.organisation, role=role)
        for below in api_tokens.roles_below(membership):
            assert TABLE[below] <= TABLE[role]
    assert Role.ADMINISTRATOR not in api_tokens.roles_below(
        Membership(user=story.alice, organisation=story.organisation, role=Role.ENGINEER)
    )


def test_what_is_no_valid_token_is_refused_in_words(story: Any) -> None:
    expired = made(story, expires_at=timezone.now() - timedelta(seconds=1))
    other_secret = made(story)[:-1] + "~"
    unknown = tokens.make(tokens.API).text
    device = issue_token(story.device)
    for text in (expired, other_secret, unknown, device, "", "nonsense"):
        answer = ask(text)
        assert answer.status_code == 401, text
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert "token" in answer.json()["detail"].lower()


def test_a_token_opens_no_page_and_no_account(story: Any) -> None:
    token = made(story)
    assert ask(token, "/machines/").status_code == 302
    assert ask(token, "/accounts/").status_code == 302


def test_a_closed_account_has_no_programs(story: Any) -> None:
    token = made(story)
    story.alice.is_active = False
    story.alice.save()
    assert ask(token).status_code == 401


def test_there_is_a_limit_of_tokens(story: Any) -> None:
    for _ in range(api_tokens.MOST):
        made(story)
    with pytest.raises(Refused, match="Revoke one first"):
        made(story)


def test_a_token_is_kept_as_a_digest_only(story: Any) -> None:
    token = made(story)
    assert token[13:] not in str(ApiToken.objects.for_runtime().values())
    assert Permission.TOKENS in TABLE[Role.MAINTENANCE]


def test_machines_are_filtered(story: Any) -> None:
    token = made(story)
    for query, count in (
        ("search=NORTHERN", 1),
        ("search=southern", 0),
        ("model=four-bar-b", 1),
        ("model=excavator", 0),
        ("organisation=Northern Lifting Oy", 1),
        ("organisation=Southern Digging Ltd", 0),
    ):
        assert ask(token, f"{MACHINES}?{query}").json()["count"] == count, query
    assert ask(token, f"{MACHINES}?status=failed").status_code == 503  # no telemetry server here
    assert ask(token, f"{MACHINES}?status=happy").status_code == 422
