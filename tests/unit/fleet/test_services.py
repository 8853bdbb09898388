"""What can be done with a fleet, and the words for what cannot."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from twin.fleet import services
from twin.fleet.models import Machine, Membership, Role

pytestmark = pytest.mark.database


def test_whoever_makes_an_organisation_administers_it(story: Any) -> None:
    organisation = services.create_organisation("New Ab", administrator=story.bob)
    membership = Membership.objects.for_user(story.bob).get(organisation=organisation)
    assert membership.role == Role.ADMINISTRATOR


def test_a_machine_has_the_channels_of_its_model(story: Any) -> None:
    machine = services.create_machine(story.organisation, "Rig 2", parameters={"crank_mass": 100.0})
    assert machine.channels()[0].name == "crank.angle"
    assert {body["name"] for body in machine.scene()["bodies"]} >= {"crank", "coupler", "rocker"}
    assert Machine.objects.for_user(story.bob).get(name="Rig 2") == machine


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"model": "unicorn"}, "model", "unicorn.*four-bar-b"),
        ({"parameters": {"wings": 2}}, "parameters", "wings.*crank_mass"),
        ({"parameters": {"crank_mass": -1}}, "parameters", "crank_mass.*must be"),
        ({"parameters": [1]}, "parameters", "object"),
        ({"name": ""}, "name", "blank"),
        ({"name": "Northern rig"}, "__all__", "a machine of this name already"),
    ],
)
def test_a_wrong_machine_is_refused_in_words(story: Any, change: Any, field: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words) as caught:
        services.create_machine(**({"organisation": story.organisation, "name": "Rig 2"} | change))
    assert list(caught.value.message_dict) == [field]


def test_two_organisations_may_use_one_machine_name(story: Any) -> None:
    assert services.create_machine(story.strangers, "Northern rig").name == "Northern rig"


def test_a_device_needs_a_name(story: Any) -> None:
    with pytest.raises(ValidationError, match="blank"):
        services.create_device(story.machine, "")
