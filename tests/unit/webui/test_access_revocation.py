"""Who is looked at again when access may have ended, whoever changes it; and nobody else."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from twin.fleet.models import Grant, Machine, Membership
from twin.fleet.permissions import Role

pytestmark = pytest.mark.database

Told = Callable[[Callable[[], Any]], set[str]]


@pytest.fixture
def told(story: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any) -> Told:
    """The names of those whose sockets are looked at because of a change."""
    heard: list[int] = []
    monkeypatch.setattr("webui.sockets.signals.announce_access_change", heard.append)
    names = dict(User.objects.values_list("pk", "username"))

    def telling(change: Callable[[], Any]) -> set[str]:
        heard.clear()
        with django_capture_on_commit_callbacks(execute=True):
            change()
        return {names[pk] for pk in heard}

    return telling


def place(user: User) -> Membership:
    return Membership.objects.for_runtime().get(user=user)


def test_a_membership_that_goes_or_changes(told: Told, story: Any) -> None:
    def demote() -> None:
        row = place(story.bob)
        row.role = Role.OPERATOR
        row.save()

    def hand_over() -> None:
        row = place(story.bob)
        row.user = story.charlie
        row.organisation = story.organisation
        row.save()

    assert told(demote) == {"bob"}
    assert told(hand_over) == {"bob", "charlie"}
    assert told(lambda: Membership.objects.for_runtime().filter(user=story.alice).delete()) == {"alice"}
    assert told(lambda: Membership.objects.create(user=story.bob, organisation=story.strangers)) == set()


def test_sharing_that_stops(told: Told, story: Any) -> None:
    grants = Grant.objects.for_runtime()
    assert told(lambda: Grant.objects.create(machine=story.machine, organisation=story.strangers)) == set()
    assert told(lambda: grants.filter(machine=story.machine).delete()) == {"charlie"}


def test_a_machine_that_goes_or_changes_hands(told: Told, story: Any) -> None:
    def rename() -> None:
        story.machine.name = "Renamed rig"
        story.machine.save()

    def sell() -> None:
        story.machine.organisation = story.strangers
        story.machine.save()

    assert told(rename) == set()
    assert told(sell) == {"alice", "bob"}
    assert told(Machine.objects.for_runtime().filter(pk=story.machine.pk).delete) == {"charlie"}


def test_an_organisation_that_is_dissolved(told: Told, story: Any) -> None:
    assert told(story.organisation.delete) == {"alice", "bob"}


def test_a_closed_account_a_new_password_and_an_ended_session(told: Told, story: Any) -> None:
    def close() -> None:
        story.bob.is_active = False
        story.bob.save()

    def new_password() -> None:
        story.alice.set_password("another long sentence")
        story.alice.save()

    charlie = Client()
    charlie.force_login(story.charlie)
    assert told(close) == {"bob"}
    assert told(new_password) == {"alice"}
    assert told(Session.objects.all().delete) == {"charlie"}
    assert told(lambda: charlie.force_login(story.charlie)) == set()


@pytest.mark.django_db(transaction=True)
def test_sockets_are_told_when_the_change_can_be_seen(story: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a transaction around it, too: what is told too early is looked at too early, and missed."""
    seen: list[tuple[bool, bool]] = []
    machine, bobs = story.machine, place(story.bob)

    def look(_: int) -> None:
        moved = Machine.objects.for_runtime().get(pk=machine.pk).organisation == story.strangers
        seen.append((moved, Membership.objects.for_runtime().filter(user=story.bob).exists()))

    monkeypatch.setattr("webui.sockets.signals.announce_access_change", look)
    machine.organisation = story.strangers
    machine.save()
    assert {moved for moved, _ in seen} == {True}
    seen.clear()
    bobs.user = User.objects.create_user("dora")
    bobs.save()
    assert {there for _, there in seen} == {False}
