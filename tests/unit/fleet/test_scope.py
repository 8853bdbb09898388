"""Tenant rows are read on somebody's behalf or not at all."""

import ast
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError
from django.utils import timezone

from twin.accounts import api_tokens, members
from twin.accounts.models import ApiToken, Invitation
from twin.audit.log import PLATFORM
from twin.audit.models import AppendOnly, Entry
from twin.fleet.models import Device, DeviceToken, Grant, Machine, Membership, Organisation
from twin.fleet.permissions import SHARED, TABLE, Permission, Role
from twin.fleet.scope import TenantModel, UnscopedQuery
from twin.fleet.services import create_organisation, issue_token, share
from twin.history.columns import Taken
from twin.history.models import Position, Second, Segment, Series, Start
from twin.history.writing import Batch, store
from twin.preferences.models import PersonalModel, Preference, SavedView
from twin.preferences.services import choose_units, keep_view
from twin.showroom.models import Exhibit
from twin.sites.models import Placement, Site
from twin.sites.services import save_site
from twin.usage.models import Usage
from twin.webhooks import services as webhooks
from twin.webhooks.models import Delivery, EventType, Told, Webhook

pytestmark = pytest.mark.database

TENANT_MODELS = [Organisation, Membership, Machine, Grant, Device, DeviceToken]
TENANT_MODELS += [Position, Start, Segment, Series, Second]
TENANT_MODELS += [Site, Placement, Usage, Exhibit]
PERSONAL_MODELS = [Preference, SavedView]  # of a person, not of an organisation
TENANT_MODELS += [Invitation, ApiToken, Entry, Webhook, Delivery, Told]
REPOSITORY = Path(__file__).resolve().parents[3]


def test_every_tenant_model_is_in_this_test() -> None:
    assert set(TENANT_MODELS) | {PersonalModel} == set(TenantModel.__subclasses__())
    assert set(PERSONAL_MODELS) == set(PersonalModel.__subclasses__())


@pytest.mark.parametrize("model", TENANT_MODELS + PERSONAL_MODELS)
@pytest.mark.parametrize(
    "read",
    [
        lambda rows: list(rows.all()),
        lambda rows: rows.filter(pk__isnull=False).first(),
        lambda rows: rows.get(pk=None),
        lambda rows: rows.count(),
        lambda rows: rows.exists(),
        lambda rows: list(rows.values("pk")),
        lambda rows: list(rows.all().iterator()),
        lambda rows: rows.aggregate(),
        lambda rows: rows.update(),
        lambda rows: rows.all().delete(),
        lambda rows: rows.in_bulk(),
        lambda rows: rows.raw("select 1"),
    ],
)
def test_reading_without_a_scope_is_an_error(model: Any, read: Any, db: None) -> None:
    with pytest.raises((UnscopedQuery, AppendOnly)) as refusal:
        read(model.objects)
    assert refusal.type is AppendOnly or model.__name__ in str(refusal.value)


def test_related_rows_need_a_scope_as_well(story: Any) -> None:
    with pytest.raises(UnscopedQuery):
        list(story.organisation.machines.all())
    assert list(story.organisation.machines.for_user(story.bob)) == [story.machine]
    assert list(story.organisation.machines.for_user(story.charlie)) == []


@pytest.fixture
def with_rows(story: Any) -> None:
    """Rows of every model in both organisations; Alice, Bob and Charlie may see all of their own."""
    third = create_organisation("Third Party AG")
    for row in Membership.objects.for_runtime():
        row.role = Role.ADMINISTRATOR
        row.save()
    for machine, member in ((story.machine, story.alice), (story.strange_machine, story.charlie)):
        (device,) = Device.objects.for_runtime().filter(machine=machine)
        issue_token(device)
        site = Site(organisation=machine.organisation, name="Yard", east_m=0.0, north_m=0.0)
        save_site(site, [machine.pk])
        Usage.objects.create(machine=machine)
        Exhibit.objects.create(device=device, until=timezone.now())
        store([Batch(machine.pk, "0-0", "1-0", [Taken(device.pk, "boot", [(0, 1, {"hose.p": 1.0})])])])
        share(PLATFORM, machine, third.pk)
        members.invite(PLATFORM, machine.organisation, Role.OPERATOR, "somebody")
        api_tokens.make(PLATFORM, member, machine.organisation, Role.OPERATOR, "a program")
        address = "https://receiver.example/"
        hook, _secret = webhooks.add(PLATFORM, machine.organisation, address, [EventType.STATUS])
        webhooks.send_test(hook)
        Told.objects.create(machine=machine, status="synced")


@pytest.mark.parametrize("model", TENANT_MODELS)
def test_colleagues_see_the_same_rows_and_a_stranger_none_of_them(
    model: Any, story: Any, with_rows: None
) -> None:
    ours = set(model.objects.for_user(story.alice))
    assert ours
    assert set(model.objects.for_user(story.bob)) == ours
    theirs = set(model.objects.for_user(story.charlie))
    assert theirs
    assert ours.isdisjoint(theirs)
    others = {Organisation: 1, Entry: 2}  # the third organisation, and its log of what is shared with it
    assert set(model.objects.for_runtime()) >= ours | theirs
    assert model.objects.for_runtime().count() == len(ours | theirs) + others.get(model, 0)


@pytest.mark.parametrize("role", Role)
def test_a_role_sees_what_the_table_allows_and_nothing_else(role: Role, story: Any, with_rows: None) -> None:
    Membership.objects.for_runtime().filter(user=story.bob).update(role=role)
    for model in TENANT_MODELS:
        assert model.objects.for_user(story.bob).exists() == (model.needs in TABLE[role]), model


@pytest.mark.parametrize("role", Role)
def test_a_shared_machine_is_seen_as_far_as_role_and_sharing_allow(role: Role, story: Any) -> None:
    share(PLATFORM, story.machine, story.strangers.pk)
    Membership.objects.for_runtime().filter(user=story.charlie).update(role=role)
    for permission in Permission:
        seen = set(Machine.objects.for_user(story.charlie, permission))
        allowed = permission in TABLE[role]
        assert (story.strange_machine in seen) == allowed
        assert (story.machine in seen) == (allowed and permission in SHARED)
    assert not Device.objects.for_user(story.charlie).filter(machine=story.machine).exists()
    assert not Organisation.objects.for_user(story.charlie).filter(pk=story.organisation.pk).exists()


def test_whoever_is_in_both_organisations_sees_a_shared_machine_once(story: Any) -> None:
    share(PLATFORM, story.machine, story.strangers.pk)
    Membership.objects.create(user=story.charlie, organisation=story.organisation, role=Role.OPERATOR)
    assert list(Machine.objects.for_user(story.charlie)) == [story.machine, story.strange_machine]


def test_choices_are_a_persons_own_and_no_colleagues(story: Any) -> None:
    for person in (story.alice, story.bob):
        choose_units(person, "us")
        keep_view(person, "Mine", "level=act")
    for model in PERSONAL_MODELS:
        (own,) = model.objects.for_user(story.alice)
        assert own.user == story.alice
        assert not model.objects.for_user(AnonymousUser()).exists()
        assert not model.objects.for_user(story.charlie).exists()


def test_nobody_and_former_staff_see_nothing(story: Any) -> None:
    assert not Machine.objects.for_user(AnonymousUser()).exists()
    story.alice.is_active = False
    assert not Machine.objects.for_user(story.alice).exists()


def test_a_superuser_needs_a_membership_too(story: Any) -> None:
    root = User.objects.create_superuser("root")
    assert not Machine.objects.for_user(root).exists()
    Membership.objects.create(user=root, organisation=story.organisation, role=Role.ADMINISTRATOR)
    assert Machine.objects.for_user(root).get() == story.machine


def test_a_person_joins_an_organisation_once(story: Any) -> None:
    with pytest.raises(ValidationError, match="already a member of the organisation"):
        Membership(user=story.bob, organisation=story.organisation, role=Role.OPERATOR).full_clean()


def test_the_sources_never_go_round_the_scope() -> None:
    """Managers that bypass the scope, and tenant managers used for anything but scoped reads and creation."""
    allowed = {"for_user", "for_runtime", "create", "bulk_create"}
    names = {model.__name__ for model in TENANT_MODELS + PERSONAL_MODELS}
    offences = []
    for package in ("twin", "workers", "webui"):
        for path in (REPOSITORY / package).rglob("*.py"):
            if "migrations" in path.parts or "node_modules" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Attribute):
                    continue
                unscoped = node.attr in ("_base_manager", "_default_manager")
                owner = node.value
                if isinstance(owner, ast.Attribute) and owner.attr == "objects":
                    tenant = isinstance(owner.value, ast.Name) and owner.value.id in names
                    unscoped = unscoped or (tenant and node.attr not in allowed)
                if unscoped:
                    offences.append(f"{path.relative_to(REPOSITORY)}:{node.lineno} {node.attr}")
    assert offences == []
