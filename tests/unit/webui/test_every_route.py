"""Whose is it: every address of the URL table and every socket, tried as a stranger and as nobody.

The routes are read from the URL table itself. A new one has to be entered in EXPECTED with what a stranger
gets, or the first test fails.
"""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from twin.fleet import services
from twin.fleet.models import DeviceToken, Machine, Membership
from twin.history.columns import Taken
from twin.history.models import Segment
from twin.history.writing import Batch, store
from webui.live.routing import websocket_urlpatterns

pytestmark = pytest.mark.database

PUBLIC = "public"  # the same for everybody, signed in or not
OWN = "own"  # a page that shows each person what is theirs
FOREIGN = "foreign"  # names a machine; for a stranger it does not exist
STAFF = "staff"  # the admin

EXPECTED = {
    "home": OWN,
    "fleet:list": OWN,
    "live:machine": FOREIGN,
    "live:model": FOREIGN,
    "styleguide:index": OWN,
    "accounts:login": PUBLIC,
    "accounts:logout": OWN,
    "healthz": PUBLIC,
    "readyz": PUBLIC,
    "metrics": PUBLIC,
    "api:openapi-json": OWN,
    "api:api-root": OWN,
    "api:machines": OWN,
    "api:machine": FOREIGN,
    "api:model": FOREIGN,
    "api:state": FOREIGN,
    "api:history": FOREIGN,
    "api-docs": OWN,
    "admin-login": PUBLIC,
}
EXPECTED_SOCKETS = {"machine": FOREIGN, "none": FOREIGN}


class Route:
    def __init__(self, address: str, name: str, arguments: dict[str, str]) -> None:
        self.address, self.name, self.arguments = address, name, arguments

    def kind(self) -> str | None:
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
            arguments = dict.fromkeys(pattern.pattern.converters, "")
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
    sample = Taken(story.device.pk, "northern boot", 0, 1, {"hose.p": 1.0})
    store([Batch(story.machine.pk, "0-0", "1-0", [sample])])
    rows = {
        "organisation": story.organisation,
        "membership": Membership.objects.for_user(story.alice).get(user=story.bob),
        "machine": story.machine,
        "device": story.device,
        "devicetoken": token,
        "segment": Segment.objects.for_user(story.alice).get(),
        "user": story.bob,
    }
    return {"rows": rows, "secrets": ["Northern", "alice", "bob", token.prefix]}


def address_of(route: Route, northern: dict[str, Any]) -> str:
    """The route with Alice's and Bob's identities filled in; an argument nobody knows is an error."""
    machine = northern["rows"]["machine"]
    table = {
        "machine_id": str(machine.pk),
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


@pytest.mark.parametrize("route", ROUTES, ids=repr)
def test_nobody_gets_in(route: Route, northern: Any, client: Client) -> None:
    address = address_of(route, northern)
    for response in (client.get(address), client.post(address)):
        assert_nothing_leaks(response, northern)
        if route.kind() == PUBLIC:
            continue
        if address.startswith("/api/v1/"):
            assert response.status_code == 401
            assert response["Content-Type"] == "application/problem+json"
        else:
            assert response.status_code == 302
            assert response["Location"].startswith(("/accounts/login/", "/admin/login/"))


@pytest.mark.parametrize("route", ROUTES, ids=repr)
@pytest.mark.parametrize("rank", ["member", "superuser"])
def test_a_stranger_sees_nothing(route: Route, rank: str, northern: Any, story: Any, client: Client) -> None:
    """Not even one whom the platform trusts with its admin: rank is not membership."""
    story.charlie.is_staff = story.charlie.is_superuser = rank == "superuser"
    story.charlie.save()
    client.force_login(story.charlie)
    response = client.get(address_of(route, northern), follow=True)
    assert_nothing_leaks(response, northern)
    assert response.status_code < 500 or route.name == "readyz"  # no Valkey runs here
    if route.kind() == FOREIGN:
        assert response.status_code == 404


@pytest.mark.parametrize("route", [r for r in ROUTES if r.name.startswith("admin:fleet_")], ids=repr)
def test_a_stranger_changes_nothing_in_the_admin(
    route: Route, northern: Any, story: Any, client: Client
) -> None:
    story.charlie.is_staff = story.charlie.is_superuser = True
    story.charlie.save()
    client.force_login(story.charlie)
    form = {"post": "yes", "name": "mine now", "organisation": story.organisation.pk}
    client.post(address_of(route, northern), form)
    assert not Machine.objects.for_runtime().filter(organisation=story.organisation, name="mine now").exists()
    for row in northern["rows"].values():
        if not hasattr(type(row).objects, "for_runtime"):
            continue
        assert type(row).objects.for_runtime().get(pk=row.pk) == row


def test_a_colleague_does_see_it(northern: Any, story: Any, client: Client) -> None:
    """The other tests would also pass if nobody ever saw anything."""
    client.force_login(story.bob)
    for name in ("live:machine", "live:model", "api:machine"):
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
    assert (await communicator.receive_output())["type"] == "websocket.close"
