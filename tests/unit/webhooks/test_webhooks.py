"""Webhooks: what is noticed, where it may go, how it is signed, and that it is sent until it is taken."""

import http.server
import ipaddress
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone
from standardwebhooks.webhooks import Webhook as Receiver
from standardwebhooks.webhooks import WebhookVerificationError

from tests.conftest import ValkeyServer
from twin import keys
from twin.audit.log import PLATFORM
from twin.fleet.services import Refused, share
from twin.runtime import frames
from twin.sealed import unseal
from twin.webhooks import services, target
from twin.webhooks.models import Delivery, EventType, Webhook
from twin.webhooks.noticing import notice
from workers.webhooks import delivering

pytestmark = pytest.mark.database
ALL = [event.value for event in services.CHOICES]


@dataclass
class Inbox:
    """A receiver on this host that answers as it is told."""

    url: str
    status: int = 200
    letters: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is called answers or refuses at once; how long a busy computer takes for that is not tested."""
    monkeypatch.setattr(delivering, "TIMEOUT_S", 60.0)


@pytest.fixture
def inbox(settings: Any) -> Iterator[Inbox]:
    settings.WEBHOOK_PRIVATE = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.letters.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(found.status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Inbox(f"http://127.0.0.1:{server.server_port}/hook?from=hydratwin")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def hook(story: Any, inbox: Inbox) -> Webhook:
    return services.add(PLATFORM, story.organisation, inbox.url, ALL)[0]


def bring_forward() -> None:
    Delivery.objects.for_runtime().exclude(next_try=None).update(next_try=timezone.now())


# sending


def test_a_receiver_can_check_the_signature(hook: Webhook, inbox: Inbox) -> None:
    delivery = services.send_test(hook)
    assert delivering.deliver_due() == 1
    ((headers, body),) = inbox.letters
    receiver = Receiver(unseal(hook.sealed_secret))
    event = receiver.verify(body, headers)  # of another implementation; it also checks the time
    assert event["type"] == "ping"
    assert headers["webhook-id"] == str(delivery.pk)
    assert headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        receiver.verify(body + b" ", headers)


def test_what_is_refused_is_sent_again_later_under_the_same_number(
    hook: Webhook, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivery = services.send_test(hook)
    inbox.status = 503
    now = timezone.now()
    with monkeypatch.context() as stopped:
        stopped.setattr(delivering, "timezone", SimpleNamespace(now=lambda: now))
        assert delivering.deliver_due() == 0
        delivery.refresh_from_db()
        assert (delivery.outcome, delivery.status, delivery.attempts) == ("waiting", 503, 1)
        assert delivery.next_try == now + timedelta(seconds=10)
        now += timedelta(seconds=9.9)
        assert delivering.deliver_due() == 0  # not yet due
        assert len(inbox.letters) == 1
    inbox.status = 204
    bring_forward()
    assert delivering.deliver_due() == 1
    delivery.refresh_from_db()
    assert (delivery.outcome, delivery.status, delivery.error) == ("delivered", 204, "")
    numbers = {headers["webhook-id"] for headers, _ in inbox.letters}
    assert numbers == {str(delivery.pk)}


def test_a_redirection_is_not_followed(hook: Webhook, inbox: Inbox) -> None:
    services.send_test(hook)
    inbox.status = 307
    delivering.deliver_due()
    delivery = Delivery.objects.for_runtime().get()
    assert (delivery.status, delivery.outcome, len(inbox.letters)) == (307, "waiting", 1)


def test_it_is_given_up_after_a_day_and_can_be_sent_again(hook: Webhook, inbox: Inbox) -> None:
    delivery = services.send_test(hook)
    inbox.status = 500
    waited = timedelta()
    for attempt in range(1, delivering.MOST_ATTEMPTS + 1):
        bring_forward()
        delivering.deliver_due()
        waited += delivering.pause_after(attempt) if attempt < delivering.MOST_ATTEMPTS else timedelta()
    delivery.refresh_from_db()
    assert (delivery.outcome, delivery.attempts) == ("failed", delivering.MOST_ATTEMPTS)
    assert timedelta(hours=20) < waited < timedelta(hours=30)
    inbox.status = 200
    services.send_again(delivery)
    assert delivering.deliver_due() == 1


def test_nobody_there_is_said_in_words(story: Any, settings: Any) -> None:
    settings.WEBHOOK_PRIVATE = True
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        hook, _secret = services.add(PLATFORM, story.organisation, url, ALL)
        services.send_test(hook)
        delivering.deliver_due()
    assert "ConnectError" in Delivery.objects.for_runtime().get().error


def test_a_paused_webhook_keeps_its_events(hook: Webhook, inbox: Inbox) -> None:
    services.send_test(hook)
    services.change(PLATFORM, hook, hook.url, ALL, active=False)
    assert delivering.deliver_due() == 0
    services.change(PLATFORM, hook, hook.url, ALL, active=True)
    assert delivering.deliver_due() == 1


def test_an_attempt_nobody_answered_for_is_made_again(hook: Webhook, inbox: Inbox) -> None:
    """As after a killed worker: claimed, perhaps sent, never written down."""
    delivery = services.send_test(hook)
    delivering._claim(timezone.now())
    assert delivering.deliver_due() == 0
    Delivery.objects.for_runtime().update(next_try=timezone.now() - timedelta(seconds=1))
    assert delivering.deliver_due() == 1
    delivery.refresh_from_db()
    assert delivery.attempts == 2


# where to


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "ftp://example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/",
        "https://[fd00::1]/",
        "https://user:secret@example.com/",
        "https:///nowhere",
        "https://exämple.org/",
        "https://example.com:99999/",
    ],
)
def test_addresses_that_are_not_called(story: Any, url: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        services.add(PLATFORM, story.organisation, url, ALL)
    assert "url" in refusal.value.message_dict
    assert not Webhook.objects.for_runtime().exists()


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("::ffff:192.168.1.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
    ],
)
def test_public_addresses_are_told_from_others(address: str, public: bool) -> None:
    assert target.is_public(ipaddress.ip_address(address)) is public


def test_a_name_that_leads_inside_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if only one of its addresses does."""

    def resolved(*_: Any, **__: Any) -> list[Any]:
        places = ("93.184.216.34", "10.0.0.7")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, 443)) for place in places]

    monkeypatch.setattr(target.socket, "getaddrinfo", resolved)
    with pytest.raises(target.BadTarget, match=r"10\.0\.0\.7"):
        target.locate("https://sneaky.example/")


def test_localhost_by_name_is_refused_when_it_is_sent(story: Any) -> None:
    hook, _secret = services.add(PLATFORM, story.organisation, "https://localhost/", ALL)
    services.send_test(hook)
    delivering.deliver_due()
    assert "not a public address" in Delivery.objects.for_runtime().get().error


# noticing

STOPPED = {"reason": "no convergence", "code": "model.joint", "values": {"part": "crank"}}


def frame(story: Any, status: str, **more: Any) -> bytes:
    """From a minute ahead, or a busy computer would find it stale."""
    now = timezone.now().timestamp() * 1e6 + 60e6
    empty = dict.fromkeys(("value", "sigma", "measured", "uncorrected", "innovation", "spread", "flags"), b"")
    numbers = {"epoch": 1, "seq": 1, "t": 1, "ts": int(now), "t_sample": 1, "received": int(now)}
    made: Any = empty | numbers | {"status": status, "reason": "", "load": 0.0, "lag_us": 0} | more
    return frames.encode(frames.Frame(machine=str(story.machine.pk), **made))


def test_a_change_is_told_once_to_everybody_who_sees_the_machine(
    story: Any, hook: Webhook, inbox: Inbox, valkey: ValkeyServer
) -> None:
    share(PLATFORM, story.machine, story.strangers.pk)
    services.add(PLATFORM, story.strangers, inbox.url, [EventType.STATUS])
    with valkey.client() as client:
        assert notice(client) == 0  # no frame yet
        client.set(keys.frame(story.machine.pk), frame(story, "synced"))
        assert notice(client) == 0  # the first look
        client.set(keys.frame(story.machine.pk), frame(story, "failed", **STOPPED))
        assert notice(client) == 2
        assert notice(client) == 0
    assert delivering.deliver_due() == 2
    bodies = [body.decode() for _, body in inbox.letters]
    assert all('"before":"synced","status":"failed","reason":"no convergence"' in body for body in bodies)
    assert all('"code":"model.joint","values":{"part":"crank"}' in body for body in bodies)
    assert all("Northern rig" in body for body in bodies)


def test_a_named_sensor_and_two_devices_on_one_token_are_told(
    story: Any, hook: Webhook, valkey: ValkeyServer
) -> None:
    silent = {"sensor": "hose.p", "rate": 10.0}
    stuck = frames.Finding("silent", "hose.p", 1, "Hose pressure sensor silent", "sensor.silent", silent)
    with valkey.client() as client:
        client.set(keys.frame(story.machine.pk), frame(story, "synced"))
        notice(client)
        client.set(keys.frame(story.machine.pk), frame(story, "synced", findings=[stuck]))
        rivals = {"device": str(story.device.pk), "earlier": "a", "later": "b", "at": 5}
        client.hset(keys.shared_token(story.machine.pk), mapping=rivals)  # type: ignore[arg-type]
        assert notice(client) == 2
        assert notice(client) == 0
    told = {row.event: row.body for row in Delivery.objects.for_runtime()}
    assert set(told) == {EventType.SENSOR, EventType.TOKEN_SHARED}
    assert '"channel":"hose.p"' in told[EventType.SENSOR]
    assert '"code":"sensor.silent","values":{"sensor":"hose.p","rate":10.0}' in told[EventType.SENSOR]


def test_a_twin_nobody_runs_any_more_is_stale(story: Any, hook: Webhook, valkey: ValkeyServer) -> None:
    with valkey.client() as client:
        client.set(keys.frame(story.machine.pk), frame(story, "synced"))
        notice(client)
        client.set(keys.frame(story.machine.pk), frame(story, "synced", ts=1))
        notice(client)
    assert '"status":"stale"' in Delivery.objects.for_runtime().get().body


# pages


def test_a_webhook_is_added_tried_and_removed_on_its_pages(story: Any, inbox: Inbox, client: Client) -> None:
    client.force_login(story.alice)
    pages = f"/organisations/{story.organisation.pk}/webhooks/"
    page = client.post(pages, {"url": inbox.url, "events": [EventType.STATUS]}).content.decode()
    assert "whsec_" in page
    assert "whsec_" not in client.get(pages).content.decode()
    hook = Webhook.objects.for_user(story.alice).get()
    client.post(f"{pages}{hook.pk}/test/")
    delivering.deliver_due()
    shown = client.get(f"{pages}{hook.pk}/").content.decode()
    assert "delivered" in shown
    assert "(200)" in shown
    before = hook.sealed_secret
    assert "whsec_" in client.post(f"{pages}{hook.pk}/secret/").content.decode()
    hook.refresh_from_db()
    assert hook.sealed_secret != before
    client.post(f"{pages}{hook.pk}/remove/")
    assert not Webhook.objects.for_runtime().exists()


def test_a_wrong_address_stays_in_the_form_with_a_reason(story: Any, client: Client) -> None:
    client.force_login(story.alice)
    pages = f"/organisations/{story.organisation.pk}/webhooks/"
    answer = client.post(pages, {"url": "https://10.0.0.1/hook", "events": [EventType.STATUS]})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="https://10.0.0.1/hook"' in page
    assert "not a public address" in page


def test_there_is_a_limit_of_webhooks(story: Any) -> None:
    for number in range(services.MOST):
        services.add(PLATFORM, story.organisation, f"https://example.com/{number}", ALL)
    with pytest.raises(Refused, match="Remove one first"):
        services.add(PLATFORM, story.organisation, "https://example.com/more", ALL)
