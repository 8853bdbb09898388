"""Whose is it: every address and every socket, tried as nobody, as a stranger, and in every role.

The routes are read from the URL table itself. A new one has to be entered in EXPECTED with what a stranger
gets and which permission it takes, or the first test fails.
"""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from allauth.usersessions.models import UserSession
from asgiref.testing import ApplicationCommunicator
from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.waiting import PATIENCE_S
from twin.accounts import api_tokens, members
from twin.audit.log import PLATFORM
from twin.fleet import services
from twin.fleet.models import DeviceToken, Machine, Membership
from twin.fleet.permissions import TABLE, Permission, Role
from twin.history.columns import Taken
from twin.history.models import Segment
from twin.history.writing import Batch, store
from twin.preferences.services import keep_view
from twin.sites.models import Site
from twin.sites.services import save_site
from twin.webhooks import services as webhooks
from twin.webhooks.models import EventType
from webui.routing import websocket_urlpatterns

pytestmark = pytest.mark.database

PUBLIC = "public"  # the same for everybody, signed in or not
OWN = "own"  # a page that shows each person what is theirs
FOREIGN = "foreign"  # names something of an organisation; for a stranger it does not exist
STAFF = "staff"  # the admin

# a permission: foreign, and for members whose role has it
EXPECTED: dict[str, str | Permission] = {
    "home": OWN,
    "fleet:list": OWN,
    "fleet:save-view": OWN,
    "fleet:delete-view": FOREIGN,
    "fleet:sites": OWN,
    "fleet:site": Permission.SITES,
    "fleet:delete-site": Permission.SITES,
    "help:index": OWN,
    "help:guide": OWN,
    "onboarding:organisation": PUBLIC,
    "onboarding:machine": OWN,
    "preferences:units": OWN,
    "preferences:tour": OWN,
    "preferences:language": PUBLIC,
    "machine:live": Permission.WATCH,
    "machine:model": Permission.WATCH,
    "styleguide:index": OWN,
    "account_login": PUBLIC,
    "account_logout": PUBLIC,
    "account_signup": PUBLIC,
    "account_inactive": PUBLIC,
    "account_reauthenticate": OWN,
    "account_change_password": OWN,
    "account_set_password": OWN,
    "account_reset_password": PUBLIC,
    "account_reset_password_done": PUBLIC,
    "account_reset_password_from_key": PUBLIC,
    "account_reset_password_from_key_done": PUBLIC,
    "mfa_index": OWN,
    "mfa_authenticate": PUBLIC,
    "mfa_reauthenticate": OWN,
    "mfa_activate_totp": OWN,
    "mfa_deactivate_totp": OWN,
    "mfa_view_recovery_codes": OWN,
    "mfa_generate_recovery_codes": OWN,
    "mfa_download_recovery_codes": OWN,
    "accounts:overview": OWN,
    "accounts:email": OWN,
    "accounts:sessions": OWN,
    "accounts:end-others": OWN,
    "accounts:end-session": FOREIGN,
    "accounts:tokens": OWN,
    "accounts:revoke-token": FOREIGN,
    "accounts:invitation": PUBLIC,
    "organisation:members": Permission.MEMBERS,
    "organisation:change-role": Permission.MEMBERS,
    "organisation:remove-member": Permission.MEMBERS,
    "organisation:withdraw": Permission.MEMBERS,
    "organisation:roles": Permission.MEMBERS,
    "organisation:sharing": Permission.SHARE,
    "organisation:stop-sharing": Permission.SHARE,
    "organisation:webhooks": Permission.WEBHOOKS,
    "organisation:webhook": Permission.WEBHOOKS,
    "organisation:new-secret": Permission.WEBHOOKS,
    "organisation:test-webhook": Permission.WEBHOOKS,
    "organisation:remove-webhook": Permission.WEBHOOKS,
    "organisation:send-again": Permission.WEBHOOKS,
    "organisation:audit": Permission.AUDIT,
    "healthz": PUBLIC,
    "readyz": PUBLIC,
    "metrics": PUBLIC,
    "api:openapi-json": OWN,
    "api:api-root": OWN,
    "api:machines": OWN,
    "api:machine": Permission.WATCH,
    "api:model": Permission.WATCH,
    "api:state": Permission.WATCH,
    "api:history": Permission.HISTORY,
    "api:export": Permission.HISTORY,
    "api-docs": OWN,
    "admin-login": PUBLIC,
}
EXPECTED_SOCKETS = {"machine": FOREIGN, "fleet": OWN, "none": FOREIGN}


class Route:
    def __init__(self, address: str, name: str, arguments: dict[str, str]) -> None:
        self.address, self.name, self.arguments = address, name, arguments

    def kind(self) -> str | Permission | None:
        return STAFF if self.name.startswith("admin:") else EXPECTED.get(self.name)

    def __repr__(self) -> str:
        return self.name


def walk(patterns: Any, prefix: str = "", namespace: str = "") -> Iterator[Route]:
    for pattern in patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from walk(pattern.url_patterns, address, inner)
        else:
            assert isinstance(pattern, URLPattern)
            name = f"{namespace}{pattern.name}" if pattern.name else namespace + address
            regex = getattr(pattern.pattern, "regex", None)
            arguments = dict.fromkeys(re.findall(r"<(?:\w+:)?(\w+)>", address), "")
            if not arguments and regex is not None:
                arguments = dict.fromkeys(regex.groupindex, "")
            yield Route(address, name, arguments)


ROUTES = list(walk(get_resolver().url_patterns))


def test_every_route_says_what_a_stranger_gets() -> None:
    assert [route.name for route in ROUTES if route.kind() is None] == []
    assert set(EXPECTED) <= {route.name for route in ROUTES}, "EXPECTED lists a route that is gone"


@pytest.fixture
def northern(story: Any) -> dict[str, Any]:
    """Everything of Alice's and Bob's that has an address, by the name of the argument that picks it."""
    services.issue_token(story.device)
    token = DeviceToken.objects.for_user(story.alice).get()
    friends = services.create_organisation("Friends of theirs")
    grant = services.share(PLATFORM, story.machine, friends.pk)
    invitation = members.invite(PLATFORM, story.organisation, Role.OPERATOR, "Nora").row
    api_token, _text = api_tokens.make(
        PLATFORM, story.bob, story.organisation, Role.MAINTENANCE, "Bobs program"
    )
    hook, _secret = webhooks.add(
        PLATFORM, story.organisation, "https://northern.example/", [EventType.STATUS]
    )
    session = UserSession.objects.create(user=story.bob, ip="10.1.2.3", session_key="bobs", user_agent="x")
    taken = Taken(story.device.pk, "northern boot", [(0, 1, {"hose.p": 1.0})])
    store([Batch(story.machine.pk, "0-0", "1-0", [taken])])
    site = Site(organisation=story.organisation, name="Northern yard", east_m=0.0, north_m=0.0)
    rows = {
        "site": save_site(site, [story.machine.pk]),
        "view": keep_view(story.alice, "Northern view", "level=act"),
        "organisation": story.organisation,
        "membership": Membership.objects.for_user(story.alice).get(user=story.bob),
        "machine": story.machine,
        "device": story.device,
        "devicetoken": token,
        "segment": Segment.objects.for_user(story.alice).get(),
        "user": story.bob,
        "grant": grant,
        "invitation": invitation,
        "token": api_token,
        "webhook": hook,
        "delivery": webhooks.send_test(hook),
        "session": session,
    }
    secrets = ["Northern", "alice", "bob", "Nora", "northern", "10.1.2.3", token.prefix, api_token.prefix]
    return {"rows": rows, "secrets": secrets}


def address_of(route: Route, northern: dict[str, Any]) -> str:
    """The route with Alice's and Bob's identities filled in; an argument nobody knows is an error."""
    machine = northern["rows"]["machine"]
    table = {f"{name}_id": str(row.pk) for name, row in northern["rows"].items()}
    table |= {
        "name": "engineer",
        "token": "nobody-has-been-given-this-one",
        "uidb36": "1",
        "key": "set-password",
        "app_label": "fleet",
        "content_type_id": str(ContentType.objects.get_for_model(Machine).pk),
        "object_id": str(machine.pk),
        "id": str(northern["rows"]["user"].pk),
        "url": "fleet/machine/",
    }
    if route.name.startswith("admin:") and "object_id" in route.arguments:
        for model, row in northern["rows"].items():
            if f"_{model}_" in route.name:
                table["object_id"] = str(row.pk)
    address = "/" + route.address.replace("^", "").replace("$", "")
    for argument in route.arguments:
        assert argument in table, f"{route.name}: the test does not know what {argument} is"
        written = rf"<(\w+:)?{argument}>|\(\?P<{argument}>[^)]*\)"  # as a path and as a regular expression
        address = re.sub(written, table[argument], address)
    assert "<" not in address
    return address


def assert_nothing_leaks(response: Any, northern: dict[str, Any]) -> None:
    text = response.content.decode()
    # as words: a random token may well have "bob" in it
    told = [s for s in northern["secrets"] if re.search(rf"(?<![A-Za-z0-9]){s}(?![A-Za-z0-9])", text)]
    assert told == []


def test_nobody_gets_in(northern: Any, client: Client) -> None:
    for route in ROUTES:
        address = address_of(route, northern)
        for response in (client.get(address), client.post(address)):
            assert_nothing_leaks(response, northern)
            if route.kind() == PUBLIC:
                continue
            if address.startswith("/api/v1/"):
                assert response.status_code == 401, route
                assert response["Content-Type"] == "application/problem+json"
            else:
                assert response.status_code == 302, route
                assert response["Location"].startswith(("/accounts/login/", "/admin/login/"))


@pytest.mark.parametrize("rank", ["member", "superuser"])
def test_a_stranger_sees_nothing(rank: str, northern: Any, story: Any, client: Client) -> None:
    """Not even one whom the platform trusts with its admin: rank is not membership."""
    story.charlie.is_staff = story.charlie.is_superuser = rank == "superuser"
    story.charlie.save()
    client.force_login(story.charlie)
    for route in ROUTES:
        response = client.get(address_of(route, northern), follow=True)
        assert_nothing_leaks(response, northern)
        assert response.status_code < 500 or route.name == "readyz", route  # no Valkey runs here
        if route.kind() == FOREIGN or isinstance(route.kind(), Permission):
            assert response.status_code in (404, 405), route


def ask(client: Client, address: str) -> Any:
    """By GET, or by POST where that is the way; whatever it changes is undone, signing out as well."""
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    with transaction.atomic():
        response = client.get(address)
        if response.status_code == 405:
            response = client.post(address)
        transaction.set_rollback(True)
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    return response


OF_AN_ORGANISATION = [route for route in ROUTES if isinstance(route.kind(), Permission)]


@pytest.mark.parametrize("role", Role)
def test_no_role_elsewhere_opens_anything_here(role: Role, northern: Any, story: Any, client: Client) -> None:
    Membership.objects.for_runtime().filter(user=story.charlie).update(role=role)
    client.force_login(story.charlie)
    for route in (route for route in ROUTES if route.kind() not in (STAFF, PUBLIC)):
        response = ask(client, address_of(route, northern))
        assert_nothing_leaks(response, northern)
        if route.kind() == FOREIGN or isinstance(route.kind(), Permission):
            assert response.status_code == 404, route


@pytest.mark.parametrize("role", Role)
def test_a_member_may_what_the_role_allows_and_nothing_else(
    role: Role, northern: Any, story: Any, client: Client
) -> None:
    Membership.objects.for_runtime().filter(user=story.bob).update(role=role)
    client.force_login(story.bob)
    for route in OF_AN_ORGANISATION:
        response = ask(client, address_of(route, northern))
        allowed = route.kind() in TABLE[role]
        assert (response.status_code == 403) == (not allowed), route
        assert response.status_code != 404, route


@pytest.mark.parametrize("role", Role)
def test_whom_a_machine_is_shared_with_sees_the_machine_and_nothing_else(
    role: Role, northern: Any, story: Any, client: Client
) -> None:
    Membership.objects.for_runtime().filter(user=story.charlie).update(role=role)
    services.share(PLATFORM, story.machine, story.strangers.pk)
    client.force_login(story.charlie)
    for route in OF_AN_ORGANISATION:
        status = ask(client, address_of(route, northern)).status_code
        if "machine_id" not in route.arguments:
            assert status == 404, route
        else:
            assert (status == 403) == (route.kind() not in TABLE[role]), route


def test_a_stranger_changes_nothing_in_the_admin(northern: Any, story: Any, client: Client) -> None:
    story.charlie.is_staff = story.charlie.is_superuser = True
    story.charlie.save()
    client.force_login(story.charlie)
    form = {"post": "yes", "name": "mine now", "organisation": story.organisation.pk}
    kept = [row for row in northern["rows"].values() if hasattr(type(row).objects, "for_runtime")]
    for route in (route for route in ROUTES if route.name.startswith("admin:fleet_")):
        client.post(address_of(route, northern), form)
        taken = Machine.objects.for_runtime().filter(organisation=story.organisation, name="mine now")
        assert not taken.exists(), route
        for row in kept:
            assert type(row).objects.for_runtime().get(pk=row.pk) == row, route


def test_a_colleague_does_see_it(northern: Any, story: Any, client: Client) -> None:
    """The other tests would also pass if nobody ever saw anything."""
    client.force_login(story.bob)
    for name in ("machine:live", "machine:model", "api:machine"):
        (route,) = [route for route in ROUTES if route.name == name]
        response = client.get(address_of(route, northern))
        assert response.status_code == 200
        assert "Northern rig" in response.content.decode()
    assert "Northern rig" in client.get("/machines/").content.decode()


# sockets


def test_every_socket_says_what_a_stranger_gets() -> None:
    assert {pattern.name for pattern in websocket_urlpatterns} == set(EXPECTED_SOCKETS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pattern", websocket_urlpatterns, ids=lambda pattern: pattern.name)
@pytest.mark.parametrize("person", ["charlie", "nobody"])
async def test_no_socket_opens_for_a_stranger(pattern: Any, person: str, story: Any) -> None:
    if EXPECTED_SOCKETS[pattern.name] == OWN and person == "charlie":
        pytest.skip("shows Charlie his own: tests/system/test_socket_fleet.py")
    address = str(pattern.pattern).replace("<uuid:machine_id>", str(story.machine.pk))
    assert "<" not in address, f"{pattern.name}: the test does not know the arguments of {address}"
    client = Client()
    if person == "charlie":
        await client.aforce_login(story.charlie)
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    application = AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
    scope = {
        "type": "websocket",
        "path": f"/{address or uuid4()}",
        "query_string": b"",
        "headers": [(b"cookie", cookies.encode())],
        "hub": None,
        "access": None,
    }
    communicator = ApplicationCommunicator(application, scope)
    await communicator.send_input({"type": "websocket.connect"})
    assert (await communicator.receive_output(PATIENCE_S))["type"] == "websocket.close"
