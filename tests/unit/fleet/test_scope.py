"""Tenant rows are read on somebody's behalf or not at all."""

import ast
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError

from twin.fleet.models import Device, DeviceToken, Machine, Membership, Organisation, Role
from twin.fleet.scope import TenantModel, UnscopedQuery
from twin.fleet.services import issue_token
from twin.history.columns import Taken
from twin.history.models import Position, Second, Segment, Series, Start
from twin.history.writing import Batch, store

pytestmark = pytest.mark.database

TENANT_MODELS = [Organisation, Membership, Machine, Device, DeviceToken]
TENANT_MODELS += [Position, Start, Segment, Series, Second]
REPOSITORY = Path(__file__).resolve().parents[3]


def test_every_tenant_model_is_in_this_test() -> None:
    assert set(TENANT_MODELS) == set(TenantModel.__subclasses__())


@pytest.mark.parametrize("model", TENANT_MODELS)
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
    with pytest.raises(UnscopedQuery, match=model.__name__):
        read(model.objects)


def test_related_rows_need_a_scope_as_well(story: Any) -> None:
    with pytest.raises(UnscopedQuery):
        list(story.organisation.machines.all())
    assert list(story.organisation.machines.for_user(story.bob)) == [story.machine]
    assert list(story.organisation.machines.for_user(story.charlie)) == []


@pytest.fixture
def with_rows(story: Any) -> None:
    """Tokens and history of both organisations' machines."""
    for machine in (story.machine, story.strange_machine):
        (device,) = Device.objects.for_runtime().filter(machine=machine)
        issue_token(device)
        store([Batch(machine.pk, "0-0", "1-0", [Taken(device.pk, "boot", 0, 1, {"hose.p": 1.0})])])


@pytest.mark.parametrize("model", TENANT_MODELS)
def test_colleagues_see_the_same_rows_and_a_stranger_none_of_them(
    model: Any, story: Any, with_rows: None
) -> None:
    ours = set(model.objects.for_user(story.alice))
    assert ours
    assert set(model.objects.for_user(story.bob)) == ours
    assert ours.isdisjoint(model.objects.for_user(story.charlie))
    assert set(model.objects.for_runtime()) == ours | set(model.objects.for_user(story.charlie))


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
    with pytest.raises(ValidationError, match="member of the organisation already"):
        Membership(user=story.bob, organisation=story.organisation, role=Role.OPERATOR).full_clean()


def test_the_sources_never_go_round_the_scope() -> None:
    """Managers that bypass the scope, and tenant managers used for anything but scoped reads and creation."""
    allowed = {"for_user", "for_runtime", "create", "bulk_create"}
    names = {model.__name__ for model in TENANT_MODELS}
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
