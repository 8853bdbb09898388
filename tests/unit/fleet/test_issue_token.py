"""The command that prints a device's token once."""

from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from twin.fleet.identity import identify

pytestmark = pytest.mark.database


def test_the_token_it_prints_works(story: Any) -> None:
    out = StringIO()
    call_command("issue_token", str(story.device.pk), stdout=out)
    identity = identify(out.getvalue().strip())
    assert identity is not None
    assert identity.device == str(story.device.pk)


def test_an_unknown_device_is_named(db: None) -> None:
    missing = uuid4()
    with pytest.raises(CommandError, match=str(missing)):
        call_command("issue_token", str(missing))
