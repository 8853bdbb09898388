"""Invitations, roles, the second factor, sessions, passwords and the audit log, as people use them."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from twin.accounts import members
from twin.accounts.models import Invitation
from twin.audit.log import PLATFORM, record
from twin.audit.models import Action, AppendOnly, Entry
from twin.fleet.models import Machine, Membership
from twin.fleet.permissions import Role
from twin.fleet.services import Refused
from twin.sealed import CannotUnseal, seal, unseal

pytestmark = pytest.mark.database
PASSWORD = "alice has a long password"
TOTP_PERIOD_S = 30  # RFC 6238


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    """Signed in by the form, as administrator of the northern organisation."""
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.ADMINISTRATOR)
    assert client.post("/accounts/login/", {"login": "alice", "password": PASSWORD}).status_code == 302
    return client


def pages(story: Any) -> str:
    return f"/organisations/{story.organisation.pk}"


def actions(story: Any) -> list[str]:
    return [entry.action for entry in Entry.objects.for_user(story.alice)]


# invitations


def invited(alice: Client, story: Any, role: str = "operator") -> str:
    page = alice.post(f"{pages(story)}/members/", {"note": "Nora", "role": role}).content.decode()
    found = re.search(r'value="http://testserver(/accounts/invitations/[^"]+)"', page)
    assert found
    return found[1]


def test_whoever_is_invited_makes_an_account_and_is_in(alice: Client, story: Any) -> None:
    link = invited(alice, story)
    nora = Client()
    assert "Northern Lifting Oy" in nora.get(link).content.decode()
    form = {"username": "nora", "email": "nora@example.org"}
    form |= {"password1": "quite a long one", "password2": "quite a long one"}
    assert nora.post(link, form)["Location"] == "/"
    assert "Northern rig" in nora.get("/machines/").content.decode()
    assert Membership.objects.for_user(story.alice).get(user__username="nora").role == Role.OPERATOR
    assert Client().get(link).status_code == 410  # once
    assert {Action.INVITED, Action.JOINED} <= set(actions(story))


def test_a_form_that_fails_keeps_what_was_typed_and_says_why(alice: Client, story: Any) -> None:
    link = invited(alice, story)
    form = {"username": "Bob", "email": "bob@example.org", "password1": "short", "password2": "short"}
    answer = Client().post(link, form)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="bob@example.org"' in page
    assert "The name Bob is taken" in page
    assert "too short" in page
    assert User.objects.count() == 3
    assert Client().get(link).status_code == 200


def test_somebody_with_an_account_joins_with_it(alice: Client, story: Any) -> None:
    link = invited(alice, story, "engineer")
    charlie = Client()
    charlie.force_login(story.charlie)
    assert charlie.post(link)["Location"] == "/"
    assert set(Machine.objects.for_user(story.charlie)) == {story.machine, story.strange_machine}


def test_an_invitation_ends_by_time_or_when_it_is_withdrawn(alice: Client, story: Any) -> None:
    old = members.invite(PLATFORM, story.organisation, Role.OPERATOR, "old")
    Invitation.objects.for_runtime().filter(pk=old.row.pk).update(expires_at=timezone.now())
    taken_back = members.invite(PLATFORM, story.organisation, Role.OPERATOR, "taken back")
    alice.post(f"{pages(story)}/invitations/{taken_back.row.pk}/withdraw/")
    for token in (old.token, taken_back.token, "never made"):
        assert Client().get(f"/accounts/invitations/{token}/").status_code == 410
        with pytest.raises(Refused, match="no longer valid"):
            members.accept(PLATFORM, token, story.charlie)


def test_a_link_is_kept_as_a_digest_only(alice: Client, story: Any) -> None:
    token = invited(alice, story).split("/")[-2]
    row = Invitation.objects.for_runtime().values().get()
    assert token not in str(row)
    assert len(bytes(row["digest"])) == 32


# members


def test_a_role_is_changed_and_a_member_removed(alice: Client, story: Any) -> None:
    bob = Membership.objects.for_user(story.alice).get(user=story.bob)
    alice.post(f"{pages(story)}/members/{bob.pk}/role/", {"role": "engineer"})
    bob.refresh_from_db()
    assert bob.role == Role.ENGINEER
    alice.post(f"{pages(story)}/members/{bob.pk}/remove/")
    assert not Machine.objects.for_user(story.bob).exists()
    entry = Entry.objects.for_user(story.alice).get(action=Action.ROLE_CHANGED)
    assert (entry.actor_name, entry.target, entry.detail) == ("alice", "bob", "maintenance → engineer")
    assert entry.address == "127.0.0.1"


@pytest.mark.parametrize("step", ["role", "remove"])
def test_the_last_administrator_stays(alice: Client, story: Any, step: str) -> None:
    own = Membership.objects.for_user(story.alice).get(user=story.alice)
    answer = alice.post(f"{pages(story)}/members/{own.pk}/{step}/", {"role": "operator"}, follow=True)
    assert "needs at least one administrator" in answer.content.decode()
    own.refresh_from_db()
    assert own.role == Role.ADMINISTRATOR


def test_the_table_of_roles_is_shown(alice: Client, story: Any) -> None:
    page = alice.get(f"{pages(story)}/roles/").content.decode()
    assert "Invite people, change roles, remove members" in page
    assert "Fleet manager" in page


# second factor


def confirm(alice: Client) -> None:
    """Before what could lock somebody out the password is asked for once more."""
    assert "/accounts/reauthenticate/" in alice.get("/accounts/2fa/totp/activate/")["Location"]
    assert alice.post("/accounts/reauthenticate/", {"password": PASSWORD}).status_code == 302


def set_up(alice: Client) -> str:
    confirm(alice)
    page = alice.get("/accounts/2fa/totp/activate/").content.decode()
    found = re.search(r'id="totp-key" class="code" value="(\w+)"', page)
    assert found
    code = format_hotp_value(hotp_value(found[1], int(time.time()) // TOTP_PERIOD_S))
    answer = alice.post("/accounts/2fa/totp/activate/", {"code": code})
    assert answer["Location"] == "/accounts/2fa/recovery-codes/"
    return found[1]


def test_with_a_second_factor_the_password_alone_lets_nobody_in(
    alice: Client, story: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        secret = set_up(alice)
    assert secret not in str(Authenticator.objects.filter(user=story.alice).values())
    recovery = re.findall(
        r"<li>([0-9a-z]{8,})</li>", alice.get("/accounts/2fa/recovery-codes/").content.decode()
    )
    thief = Client()
    answer = thief.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")
    assert thief.get("/machines/").status_code == 302
    wrong = thief.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert "This code is not valid." in wrong.content.decode()
    assert thief.post("/accounts/2fa/authenticate/", {"code": recovery[0]}).status_code == 302
    assert thief.get("/machines/").status_code == 200
    assert Action.FACTOR_ADDED in actions(story)


def test_an_e_mail_address_keeps_nobody_from_a_second_factor(alice: Client, story: Any) -> None:
    """Whoever joins by invitation has one from the start, and nothing verifies it."""
    confirm(alice)
    assert alice.post("/accounts/email/", {"email": "alice@example.org"}).status_code == 302
    assert alice.get("/accounts/2fa/totp/activate/").status_code == 200


def test_codes_cannot_be_guessed(alice: Client, story: Any) -> None:
    set_up(alice)
    thief = Client()
    thief.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    pages = [
        thief.post("/accounts/2fa/authenticate/", {"code": f"{n:06}"}).content.decode() for n in range(8)
    ]
    assert "Too many failed login attempts" in pages[-1]


def test_where_it_is_required_nobody_decides_about_others_without_it(
    alice: Client, story: Any, settings: Any
) -> None:
    settings.SECOND_FACTOR_REQUIRED = True
    assert alice.get(f"{pages(story)}/members/")["Location"] == "/accounts/2fa/"
    assert alice.get("/machines/").status_code == 200
    set_up(alice)
    assert alice.get(f"{pages(story)}/members/").status_code == 200


def test_sealed_secrets_open_with_their_key_only(settings: Any) -> None:
    sealed = seal("JBSWY3DP")
    assert "JBSWY3DP" not in sealed
    assert unseal(sealed) == "JBSWY3DP"
    old = settings.SECRET_KEY
    settings.SECRET_KEY = "x" * 50
    with pytest.raises(CannotUnseal):
        unseal(sealed)
    settings.SECRET_KEY_FALLBACKS = [old]
    assert unseal(sealed) == "JBSWY3DP"


# sessions and passwords


def test_a_session_is_seen_and_ended(alice: Client, story: Any) -> None:
    elsewhere = Client()
    form = {"login": "alice", "password": PASSWORD}
    elsewhere.post("/accounts/login/", form, REMOTE_ADDR="10.7.7.7", headers={"user-agent": "Lynx"})
    page = alice.get("/accounts/sessions/").content.decode()
    assert "10.7.7.7" in page
    assert "Lynx" in page
    row = UserSession.objects.get(user_agent="Lynx")
    alice.post(f"/accounts/sessions/{row.pk}/end/")
    assert elsewhere.get("/machines/").status_code == 302
    assert alice.get("/machines/").status_code == 200
    assert Action.SESSION_ENDED in actions(story)


def test_a_new_password_ends_the_other_sessions(alice: Client, story: Any) -> None:
    elsewhere = Client()
    elsewhere.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    new = "another long password"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert alice.post("/accounts/password/change/", form).status_code == 302
    assert elsewhere.get("/machines/").status_code == 302
    assert Action.PASSWORD_CHANGED in actions(story)


def test_a_forgotten_password_is_replaced_by_mail(alice: Client, story: Any) -> None:
    confirm(alice)
    page = alice.post("/accounts/email/", {"email": "alice@example.org"})
    assert page["Location"] == "/accounts/"
    stranger = Client()
    answers = [
        stranger.post("/accounts/password/reset/", {"email": to})
        for to in ("alice@example.org", "no@one.org")
    ]
    assert [answer["Location"] for answer in answers] == ["/accounts/password/reset/done/"] * 2
    (letter,) = [letter for letter in mail.outbox if letter.to == ["alice@example.org"]]
    found = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(letter.body))
    assert found
    form = stranger.get(found[1])["Location"]
    new = "another long password"
    stranger.post(form, {"password1": new, "password2": new})
    assert Client().post("/accounts/login/", {"login": "alice", "password": new}).status_code == 302
    assert Client().get(found[1], follow=True).content.decode().count("no longer valid")


def test_accounts_come_by_invitation(client: Client, db: None) -> None:
    assert "You need an invitation" in client.get("/accounts/signup/").content.decode()
    assert client.post("/accounts/signup/", {"username": "mallory"}).status_code == 405


# forms from elsewhere, and cookies


def test_no_form_of_an_account_is_taken_from_elsewhere(story: Any) -> None:
    Membership.objects.for_runtime().filter(user=story.alice).update(role=Role.ADMINISTRATOR)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(story.alice)
    bob = Membership.objects.for_user(story.alice).get(user=story.bob)
    for address in (
        f"{pages(story)}/members/",
        f"{pages(story)}/members/{bob.pk}/remove/",
        f"{pages(story)}/sharing/",
        f"{pages(story)}/webhooks/",
        "/accounts/tokens/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/sessions/end-others/",
        "/accounts/logout/",
    ):
        assert strict.post(address, {"role": "operator"}).status_code == 403, address
    assert Membership.objects.for_runtime().filter(pk=bob.pk).exists()


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(alice: Client) -> None:
    session = alice.cookies["sessionid"]
    assert (session["httponly"], session["samesite"]) == (True, "Lax")


# the audit log


def test_entries_are_added_and_never_changed(story: Any) -> None:
    record(PLATFORM, story.organisation, Action.SHARED, "x" * 500, "y" * 500)
    entry = Entry.objects.for_runtime().get()
    entry.target = "something else"
    for change in (entry.save, entry.delete, Entry.objects.for_runtime().delete):
        with pytest.raises(AppendOnly):
            change()
    with pytest.raises(AppendOnly):
        Entry.objects.for_runtime().update(target="something else")
    assert len(Entry.objects.for_runtime().get().target) == 200


def test_the_log_is_filtered_by_person_action_and_time(alice: Client, story: Any) -> None:
    Client().post("/accounts/login/", {"login": "bob", "password": "wrong"}, REMOTE_ADDR="10.6.6.6")
    log = f"{pages(story)}/audit/"

    def listed(**query: str) -> list[str]:
        return [entry.action for entry in alice.get(log, query).context["page"]]

    assert listed() == ["sign_in_failed", "signed_in"]
    assert listed(who="bob") == ["sign_in_failed"]
    assert listed(action="signed_in") == ["signed_in"]
    days = [entry.at.date() for entry in Entry.objects.for_user(story.alice)]  # two about midnight
    assert len(listed(since=str(min(days)), until=str(max(days)))) == 2
    assert listed(since=str(max(days) + timedelta(days=1))) == []
    assert "10.6.6.6" in alice.get(log).content.decode()
    assert alice.get(log, {"since": "yesterday"}).status_code == 422


def test_an_event_of_an_account_is_in_the_log_of_each_of_its_organisations(story: Any) -> None:
    Membership.objects.create(user=story.alice, organisation=story.strangers, role=Role.OPERATOR)
    Client().post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    logs = Entry.objects.for_runtime().filter(action=Action.SIGNED_IN).values_list("organisation", flat=True)
    assert set(logs) == {story.organisation.pk, story.strangers.pk}
