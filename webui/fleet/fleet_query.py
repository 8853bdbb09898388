"""Describes what the fleet page shows: filters, order and layout.

The page's query string contains these choices, so a link to the page keeps them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from webui.fleet.severity import LEVELS

SORTS = ("severity", "name", "age", "load", "hours")
FILTERS = ("level", "kind", "site", "organisation")
LAYOUTS = ("list", "cards", "plan")
_ALLOWED: Mapping[str, tuple[str, ...]] = {"level": ("", *LEVELS), "sort": SORTS, "layout": LAYOUTS}
LONGEST = 80  # characters of any value


@dataclass(frozen=True)
class FleetQuery:
    """The view in a query string.

    Empty text means no filter; `kind` is a model name; `site` and `organisation` are ids.
    """

    search: str = ""
    level: str = ""
    kind: str = ""
    site: str = ""
    organisation: str = ""
    sort: str = "severity"
    layout: str = "list"

    def encoded(self) -> str:
        """Return the query string without default values."""
        default = FleetQuery()
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return urlencode({name: value for name, value in values.items() if value != getattr(default, name)})

    def shows(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row passes the filters and the search."""
        wanted = {name: getattr(self, name) for name in FILTERS}
        fits = all(not value or row["filter"][name] == value for name, value in wanted.items())
        words = row["words"].casefold()
        return fits and all(part in words for part in self.search.casefold().split())


def read_query(given: Mapping[str, str]) -> tuple[FleetQuery, list[str]]:
    """Return the query in an address, and its problems; a wrong value is ignored."""
    found: dict[str, str] = {}
    problems = []
    for field in fields(FleetQuery):
        value = given.get(field.name, "")
        allowed = _ALLOWED.get(field.name)
        if not value:
            continue
        if allowed is not None and value not in allowed:
            text = _("%(field)s = %(value)r: must be one of: %(allowed)s.")
            known = ", ".join(filter(None, allowed))
            problems.append(text % {"field": field.name, "value": value[:40], "allowed": known})
        elif len(value) > LONGEST:
            text = _("%(field)s is longer than %(most)d characters.")
            problems.append(text % {"field": field.name, "most": LONGEST})
        else:
            found[field.name] = value
    return FleetQuery(**found), problems
