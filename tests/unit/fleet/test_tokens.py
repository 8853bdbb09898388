"""Device tokens: shown once, two valid at most, refused as soon as revoked."""

from typing import Any

import pytest

from twin.fleet import services, tokens
from twin.fleet.identity import identify
from twin.fleet.models import DeviceToken
from twin.fleet.services import TooManyTokens

pytestmark = pytest.mark.database


def test_a_token_has_256_random_bits_behind_a_public_prefix() -> None:
    made = {tokens.make().text for _ in range(100)}
    assert len(made) == 100
    for text in made:
        assert tokens.prefix_of(text) == text[3:11]
        assert len(text) == 3 + 8 + 1 + 43


@pytest.mark.parametrize("text", ["", "ht_", "ht_abcdefgh_short", "Bearer x", "ht_abcdefgh_" + "ä" * 43])
def test_other_text_is_no_token(text: str) -> None:
    assert tokens.prefix_of(text) is None


def test_a_device_proves_itself_and_may_send_what_its_machine_measures(story: Any) -> None:
    identity = identify(services.issue_token(story.device))
    assert identity is not None
    assert (identity.device, identity.machine) == (str(story.device.pk), str(story.machine.pk))
    sent = {"crank.angle", "crank.rate", "hose.p", "cylinder.p_B", "valve.command"}
    assert set(identity.channels) == sent


def test_the_secret_itself_is_stored_nowhere(story: Any) -> None:
    text = services.issue_token(story.device)
    row = DeviceToken.objects.for_runtime().values().get()
    assert text[12:] not in str(row)


def test_a_right_prefix_with_a_wrong_secret_is_refused(story: Any) -> None:
    text = services.issue_token(story.device)
    assert identify(text[:-4] + ("AAAA" if not text.endswith("AAAA") else "BBBB")) is None
    assert identify(tokens.make().text) is None


def test_two_tokens_are_valid_at_once_and_a_third_is_refused(story: Any) -> None:
    first, second = services.issue_token(story.device), services.issue_token(story.device)
    assert identify(first) == identify(second) is not None
    with pytest.raises(TooManyTokens, match="revoke one first"):
        services.issue_token(story.device)


def test_rotation_keeps_the_token_in_use_and_drops_the_one_before(story: Any) -> None:
    first = services.rotate_token(story.device)
    second = services.rotate_token(story.device)
    assert identify(first) is not None
    third = services.rotate_token(story.device)
    assert identify(first) is None
    assert identify(second) == identify(third) is not None


def test_a_revoked_token_is_refused(story: Any) -> None:
    text = services.issue_token(story.device)
    services.revoke_token(DeviceToken.objects.for_runtime().get())
    assert identify(text) is None
