"""Makes the rows of the fleet page: every machine that the person may see, with its status and totals."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from twin.fleet.catalogue import kind
from twin.fleet.models import Machine
from twin.sites.models import Placement, Site
from twin.usage.meter import PART_US, PARTS
from twin.usage.models import Usage
from webui.clock import now_us
from webui.fleet.fleet_query import FleetQuery
from webui.fleet.last_frames import UNKNOWN, Seen, last_seen_if_known
from webui.fleet.live_rows import live_row, shown_machine
from webui.fleet.severity import LEVELS
from webui.units import System, display_of, quantity_text
from webui.words import named, with_separator

Person = AbstractBaseUser | AnonymousUser


def rows_of(user: Person, units: System) -> tuple[list[dict[str, Any]], bool]:
    """Return one row per machine, and whether the telemetry server failed to respond."""
    machines = list(Machine.objects.for_user(user).select_related("organisation", "usage"))
    placements = Placement.objects.for_user(user).select_related("site")
    sites = {placement.machine_id: placement.site for placement in placements}
    seen = last_seen_if_known(machines)
    rows = [
        _row(machine, sites.get(machine.pk), state or UNKNOWN, units)
        for machine, state in zip(machines, seen, strict=True)
    ]
    return rows, None in seen


def arranged(rows: list[dict[str, Any]], query: FleetQuery) -> list[dict[str, Any]]:
    """Return the rows in the order of the query; the browser keeps them sorted from then on."""
    for row in rows:
        row["hidden"] = not query.shows(row)
    keys = {
        "severity": lambda row: (LEVELS.index(row["level"]), row["name"].casefold()),
        "name": lambda row: row["name"].casefold(),
        "age": lambda row: (-(row["age_s"] if row["age_s"] is not None else 1e12), row["name"]),
        "load": lambda row: (-(row["power"] if row["power"] is not None else -1.0), row["name"]),
        "hours": lambda row: (-row["run_s"], row["name"]),
    }
    return sorted(rows, key=keys[query.sort])


def _row(machine: Machine, site: Site | None, seen: Seen, units: System) -> dict[str, Any]:
    live = live_row(shown_machine(machine), seen, units)
    usage = getattr(machine, "usage", None)
    kind_word = named(kind(machine.model))
    return live | {
        "name": machine.name,
        "kind": kind_word,
        "organisation": machine.organisation.name,
        "site": site.name if site else "",
        "age_s": seen.age_s,
        "run_s": usage.run_s if usage else 0.0,
        "spark": _spark(usage),
        "power_text": "–" if live["power"] is None else _short(live["power"], units),
        **_totals(usage, units),
        "words": f"{machine.name} {kind_word} {machine.model} {site or ''} {machine.organisation.name}",
        "filter": {
            "level": live["level"],
            "kind": machine.model,
            "site": str(site.pk) if site else "none",
            "organisation": str(machine.organisation_id),
        },
    }


def _short(power: float, units: System) -> str:
    unit, factor, _decimals = display_of("power", units)
    return f"{with_separator(f'{power * factor:.1f}')} {unit}".replace("-", "−")


def _totals(usage: Usage | None, units: System) -> dict[str, str]:
    """Return the hours, and the fuel (without an engine: the energy), each with its origin."""
    if usage is None or not usage.run_s:
        return {"hours_text": "–", "used_text": "–", "used_label": _("Energy"), "used_origin": ""}
    since = date_format(timezone.localtime(usage.since), "SHORT_DATE_FORMAT")
    if usage.fuel_kg is not None:
        used, label = quantity_text(usage.fuel_kg, "fuel_mass", units), _("Fuel")
    else:
        used, label = quantity_text(usage.energy_joule, "energy", units), _("Energy")
    origin = _("Total since %(since)s, estimated by the twin") % {"since": since}
    return {
        "hours_text": quantity_text(usage.run_s, "duration", units),
        "hours_origin": _("Total time with telemetry since %(since)s") % {"since": since},
        "used_text": used,
        "used_label": label,
        "used_origin": origin,
    }


def _spark(usage: Usage | None) -> str:
    """Return the mean power per interval, W, oldest first, separated by commas; empty if unknown."""
    if usage is None:
        return ""
    now = now_us() // PART_US
    means = {int(part): joule / seconds for part, joule, seconds in usage.recent if seconds > 0}
    points = [means.get(part) for part in range(now - PARTS + 1, now + 1)]
    return ",".join("" if point is None else f"{point:.0f}" for point in points)
