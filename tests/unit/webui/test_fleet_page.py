"""The fleet page: looks, saved views, sites and the plan."""

from typing import Any

import pytest
from django.test import Client

from twin.fleet import services
from twin.fleet.models import Machine, Membership
from twin.preferences.models import SavedView
from twin.preferences.services import MOST_VIEWS, keep_view
from twin.sites.models import Placement, Site
from twin.sites.services import save_site
from webui.fleet.fleet_query import FleetQuery, read_query
from webui.fleet.plan import plan

pytestmark = pytest.mark.database


@pytest.fixture
def alice(story: Any, client: Client) -> Client:
    client.force_login(story.alice)
    return client


@pytest.fixture
def yard(story: Any) -> Site:
    services.create_machine(story.organisation, "Crane 1", "loader-crane")
    site = Site(organisation=story.organisation, name="Harbour yard", east_m=1400.0, north_m=-350.0)
    return save_site(site, [story.machine.pk])


# looks


def test_a_look_is_read_from_the_address_and_written_back() -> None:
    given = {"search": "north rig", "level": "act", "sort": "age", "layout": "plan"}
    query, problems = read_query(given)
    assert problems == []
    assert query.encoded() == "search=north+rig&level=act&sort=age&layout=plan"
    assert FleetQuery().encoded() == ""


def test_what_is_wrong_with_a_look_is_named_and_left_out() -> None:
    query, problems = read_query({"sort": "colour", "search": "x" * 81, "level": "plan"})
    assert query == FleetQuery(level="plan")
    assert problems == [
        "search is longer than 80 characters.",
        "sort = 'colour': must be one of: severity, name, age, load, hours.",
    ]


def test_the_page_shows_what_the_look_wants_and_says_what_it_did_not_understand(
    alice: Client, yard: Site
) -> None:
    def shown(query: str) -> list[str]:
        rows = alice.get(f"/machines/?{query}").context["rows"]
        return [row["name"] for row in rows if not row["hidden"]]

    assert shown("") == ["Crane 1", "Northern rig"]
    assert shown("search=crane") == ["Crane 1"]
    assert shown(f"site={yard.pk}") == ["Northern rig"]
    assert shown("site=none") == ["Crane 1"]
    assert shown("kind=four-bar-b") == ["Northern rig"]
    assert shown("level=act") == []
    assert "No machine matches" in alice.get("/machines/?level=act").content.decode()
    assert "must be one of: list, cards, plan" in alice.get("/machines/?layout=cube").content.decode()


# saved views


def test_a_view_is_saved_under_a_name_found_again_and_deleted(alice: Client, story: Any) -> None:
    alice.post("/machines/views/", {"name": "To do", "query": "level=act&layout=cards&nonsense=1"})
    view = SavedView.objects.for_user(story.alice).get()
    assert (view.name, view.query) == ("To do", "level=act&layout=cards")
    assert "?level=act&amp;layout=cards" in alice.get("/machines/").content.decode()
    alice.post("/machines/views/", {"name": "To do", "query": "level=plan"})
    assert SavedView.objects.for_user(story.alice).get().query == "level=plan"
    alice.post(f"/machines/views/{view.pk}/delete/")
    assert not SavedView.objects.for_user(story.alice).exists()


def test_a_view_that_cannot_be_saved_says_why(alice: Client, story: Any) -> None:
    def refused(name: str, query: str) -> str:
        return alice.post("/machines/views/", {"name": name, "query": query}, follow=True).content.decode()

    assert "This field cannot be blank." in refused("  ", "level=act")
    assert "must be one of: act, plan, stale, ok" in refused("Mine", "level=panic")
    for k in range(MOST_VIEWS):
        keep_view(story.alice, f"view {k}", "")
    assert "Delete one first" in refused("One more", "level=act")
    assert SavedView.objects.for_user(story.alice).count() == MOST_VIEWS


# sites


def form(**changes: Any) -> dict[str, Any]:
    return {"name": "Quarry", "kind": "quarry", "east_m": "10.5", "north_m": "-3", "machines": []} | changes


def test_a_manager_makes_a_site_and_moves_machines_there(alice: Client, story: Any, yard: Site) -> None:
    response = alice.post("/machines/sites/", form(machines=[str(story.machine.pk)]))
    assert response.status_code == 302
    quarry = Site.objects.for_user(story.alice).get(name="Quarry")
    assert (quarry.organisation, quarry.east_m, quarry.north_m) == (story.organisation, 10.5, -3.0)
    assert Placement.objects.for_user(story.bob).get().site == quarry
    alice.post(f"/machines/sites/{quarry.pk}/", form(name="Old quarry"))
    assert Site.objects.for_user(story.alice).filter(name="Old quarry").exists()
    assert not Placement.objects.for_user(story.alice).exists()
    alice.post(f"/machines/sites/{quarry.pk}/delete/")
    assert Machine.objects.for_user(story.alice).filter(pk=story.machine.pk).exists()


def test_a_form_that_fails_keeps_what_was_typed_and_names_the_field(alice: Client, yard: Site) -> None:
    response = alice.post("/machines/sites/", form(name="Harbour yard", east_m="far away"))
    page = response.content.decode()
    assert response.status_code == 422
    assert "Enter a number." in page
    assert 'value="far away"' in page
    assert Site.objects.for_runtime().count() == 1
    taken = alice.post("/machines/sites/", form(name="Harbour yard")).content.decode()
    assert "The organisation already has a site with this name." in taken
    far = alice.post("/machines/sites/", form(east_m="2e6")).content.decode()
    assert "less than or equal to 1000000" in far


def test_sites_are_for_managers(story: Any, yard: Site, client: Client) -> None:
    client.force_login(story.bob)  # of maintenance
    assert client.get("/machines/sites/").status_code == 403
    assert client.post("/machines/sites/", form()).status_code == 403
    assert client.post(f"/machines/sites/{yard.pk}/delete/").status_code == 403
    assert Site.objects.for_runtime().get() == yard


def test_machines_of_others_cannot_be_placed(alice: Client, story: Any) -> None:
    response = alice.post("/machines/sites/", form(machines=[str(story.strange_machine.pk)]))
    assert response.status_code == 422
    assert not Placement.objects.for_runtime().exists()


# the plan


def test_the_plan_is_to_scale_and_north_is_up(story: Any) -> None:
    def site(name: str, east_m: float, north_m: float) -> Site:
        return Site(organisation=story.organisation, name=name, east_m=east_m, north_m=north_m)

    sites = [site("a", 0.0, 0.0), site("b", 1400.0, 0.0), site("c", 0.0, 700.0)]
    drawing = plan(sites, [])
    a, b, c = drawing["sites"]
    assert (b["x"] - a["x"], b["y"] - a["y"]) == (pytest.approx(2 * (a["y"] - c["y"]), abs=0.3), 0.0)
    assert a["x"] == c["x"]
    number, unit = drawing["bar"]["text"].split()
    metres = float(number) * {"m": 1.0, "km": 1000.0}[unit]
    assert drawing["bar"]["length"] / metres == pytest.approx((b["x"] - a["x"]) / 1400.0, rel=1e-3)


def test_one_site_alone_is_drawn_in_the_middle(alice: Client, yard: Site) -> None:
    (drawing,) = alice.get("/machines/?layout=plan").context["plans"]
    (only,) = drawing["sites"]
    assert only["x"] == 500.0
    assert [dot["row"]["name"] for dot in only["dots"]] == ["Northern rig"]


# without machines


def test_empty_states_say_what_to_do_next(alice: Client, story: Any, client: Client) -> None:
    Machine.objects.for_runtime().filter(organisation=story.organisation).delete()
    assert "Connect a machine" in alice.get("/machines/").content.decode()
    Membership.objects.for_runtime().filter(user=story.alice).delete()
    assert "You are not in an organisation yet" in alice.get("/machines/").content.decode()
