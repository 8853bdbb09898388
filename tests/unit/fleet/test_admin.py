"""The admin: scoped like everything else, and tokens can be revoked but never read."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from twin.audit.models import Action, Entry
from twin.fleet import services
from twin.fleet.identity import identify
from twin.fleet.models import DeviceToken, Machine, Membership, Organisation, Role

pytestmark = pytest.mark.database


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    """Alice runs the platform as well; that gives her the admin, not other people's machines."""
    story.alice.is_staff = story.alice.is_superuser = True
    story.alice.save()
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.ADMINISTRATOR)
    client.force_login(story.alice)
    return client


@pytest.mark.parametrize("model", ["organisation", "membership", "machine", "device", "devicetoken"])
def test_lists_show_ones_own_rows(alice: Client, model: str, story: Any) -> None:
    services.issue_token(story.device)
    page = alice.get(f"/admin/fleet/{model}/").content.decode()
    assert "Northern" in page
    assert "Southern" not in page


def test_choices_offer_ones_own_rows(alice: Client, story: Any) -> None:
    page = alice.get("/admin/fleet/machine/add/").content.decode()
    assert "Northern Lifting Oy" in page
    assert "Southern Digging Ltd" not in page
    people = alice.get("/admin/fleet/membership/add/").content.decode()
    assert ">bob<" in people
    assert ">charlie<" not in people


def test_an_account_that_belongs_nowhere_can_be_taken_in(alice: Client, story: Any) -> None:
    dora = User.objects.create_user("dora")
    form = {"user": dora.pk, "organisation": story.organisation.pk, "role": Role.OPERATOR}
    assert alice.post("/admin/fleet/membership/add/", form).status_code == 302
    assert list(Machine.objects.for_user(dora)) == [story.machine]


def test_a_machine_cannot_be_put_into_a_foreign_organisation(alice: Client, story: Any) -> None:
    form = {"name": "gift", "organisation": story.strangers.pk, "model": "four-bar-b", "parameters": "{}"}
    response = alice.post("/admin/fleet/machine/add/", form)
    assert "not one of the available choices" in response.content.decode()


def test_a_wrong_parameter_is_explained_at_its_field(alice: Client, story: Any) -> None:
    form = {"name": "rig", "organisation": story.organisation.pk, "model": "four-bar-b"}
    response = alice.post("/admin/fleet/machine/add/", form | {"parameters": '{"wings": 2}'})
    assert "wings" in response.context["adminform"].form.errors["parameters"][0]


def test_whoever_adds_an_organisation_can_see_it(alice: Client, story: Any) -> None:
    alice.post("/admin/fleet/organisation/add/", {"name": "Eastern Cranes", "kind": "dealer"})
    organisation = Organisation.objects.for_user(story.alice).get(name="Eastern Cranes")
    assert Membership.objects.for_user(story.alice).get(organisation=organisation).role == Role.ADMINISTRATOR


def test_a_change_is_in_the_audit_log(alice: Client, story: Any) -> None:
    form = {"name": "Renamed rig", "organisation": story.organisation.pk, "model": "four-bar-b"}
    alice.post(f"/admin/fleet/machine/{story.machine.pk}/change/", form | {"parameters": "{}"})
    entry = Entry.objects.for_user(story.alice).filter(action=Action.ADMIN_CHANGED).get()
    assert (entry.actor, entry.target) == (story.alice, "machine Renamed rig")
    assert entry.address == "127.0.0.1"


def test_rank_does_not_replace_a_role(alice: Client, story: Any) -> None:
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.OPERATOR)
    for model in ("organisation", "membership", "machine", "device", "devicetoken"):
        assert "Northern" not in alice.get(f"/admin/fleet/{model}/").content.decode()


def test_a_token_can_be_revoked_but_not_made_or_read(alice: Client, story: Any) -> None:
    text = services.issue_token(story.device)
    token = DeviceToken.objects.for_runtime().get()
    assert alice.get("/admin/fleet/devicetoken/add/").status_code == 403
    assert text[12:] not in alice.get(f"/admin/fleet/devicetoken/{token.pk}/change/").content.decode()
    alice.post("/admin/fleet/devicetoken/", {"action": "revoke", "_selected_action": token.pk})
    assert identify(text) is None
