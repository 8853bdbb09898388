"""Units: the table against published conversions, and the switch in the top bar."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from twin.fleet import services
from twin.preferences.models import Preference
from webui.units import SYSTEMS, display_of, quantity_text, shown_number, shown_unit

TABLE = json.loads((Path(__file__).parents[3] / "webui" / "units.json").read_text())
# NIST SP 811 (2008), appendix B: one of the unit in SI
NIST = {
    "psi": 6.894757e3, "bar": 1e5, "ft": 3.048e-1, "mph": 4.4704e-1, "km/h": 1 / 3.6, "lb": 4.5359237e-1,
    "t": 1e3, "lbf": 4.448222, "kN": 1e3, "gal/min": 6.309020e-5, "L/min": 1e-3 / 60, "hp": 7.456999e2,
    "kW": 1e3, "kWh": 3.6e6, "lbf ft": 1.355818, "yd³": 7.645549e-1, "lb/h": 1.259979e-4, "kg/h": 1 / 3600,
    "gal": 3.785412e-3, "L": 1e-3, "in²": 6.4516e-4, "cm²": 1e-4, "ft/s": 3.048e-1, "°": 1.745329e-2,
    "°/s": 1.745329e-2, "rpm": 1.047198e-1, "h": 3600.0,
}  # fmt: skip
SAME = {"m", "m³", "V", "N m", "kg", "m/s", "N"}  # SI themselves


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_factor_is_the_published_one(system: str) -> None:
    pairs = [(each[system]["unit"], each[system]["factor"]) for each in TABLE["quantities"].values()]
    pairs += [tuple(each[system]) for each in TABLE["parameters"].values()]
    for unit, factor in pairs:
        in_si = 1.0 if unit in SAME else NIST[unit]
        assert factor * in_si == pytest.approx(1.0, rel=2e-6), unit


def test_numbers_are_shown_with_their_unit() -> None:
    assert quantity_text(1.82e7, "pressure", "metric") == "182.0 bar"
    assert quantity_text(1.82e7, "pressure", "us") == "2\u2009640 psi"
    assert display_of("mass", "us").unit == "lb"
    assert (shown_number(2.6e7, "Pa", "us"), shown_unit("Pa", "us")) == ("3771", "psi")
    assert (shown_number("lugre", "-"), shown_unit("-")) == ("lugre", "")


pytestmark = pytest.mark.database


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


def test_the_switch_is_kept_for_the_person_and_used_by_every_page(alice: Client, story: Any) -> None:
    crane = services.create_machine(story.organisation, "Crane 1", "loader-crane")
    page = f"/machines/{crane.pk}/model/"

    def relief() -> str:
        rows = [row for _, group in alice.get(page).context["groups"] for row in group]
        return next(f"{row['value']} {row['unit']}" for row in rows if row["name"] == "relief_pressure")

    assert relief() == "260 bar"
    response = alice.post("/preferences/units/", {"units": "us", "next": page})
    assert (response.status_code, response["Location"]) == (302, page)
    assert relief() == "3771 psi"
    assert 'data-units="us"' in alice.get("/machines/").content.decode()
    assert Preference.objects.for_user(story.alice).get().units == "us"
    assert not Preference.objects.for_user(story.bob).exists()


def test_units_nobody_knows_change_nothing_and_are_named(alice: Client, story: Any) -> None:
    response = alice.post("/preferences/units/", {"units": "roman", "next": "/machines/"}, follow=True)
    assert "Unknown units &#x27;roman&#x27;. Available: metric, us." in response.content.decode()
    assert not Preference.objects.for_user(story.alice).exists()


def test_nobody_is_led_to_a_foreign_page(alice: Client) -> None:
    for address in ("https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"):
        assert alice.post("/preferences/units/", {"units": "us", "next": address})["Location"] == "/"
