"""A look at the fleet: which machines, in which order, drawn how. It is the address, so it can be mailed."""

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
LONGEST = 80  # characters of what is searched for


@dataclass(frozen=True)
class Look:
    """Empty text: no filter. `kind` is a model, `site` and `organisation` are ids."""

    search: str = ""
    level: str = ""
    kind: str = ""
    site: str = ""
    organisation: str = ""
    sort: str = "severity"
    layout: str = "list"

    def query(self) -> str:
        """As it stands in an address; what everybody starts with is left out."""
        usual = Look()
        told = {f.name: getattr(self, f.name) for f in fields(self)}
        return urlencode({name: value for name, value in told.items() if value != getattr(usual, name)})

    def shows(self, row: Mapping[str, Any]) -> bool:
        """Is this row of the fleet in it?"""
        wanted = {name: getattr(self, name) for name in FILTERS}
        fits = all(not value or row["filter"][name] == value for name, value in wanted.items())
        words = row["words"].casefold()
        return fits and all(part in words for part in self.search.casefold().split())


def read_look(given: Mapping[str, str]) -> tuple[Look, list[str]]:
    """The look in an address, and what is wrong with it; what is wrong counts as not said."""
    found: dict[str, str] = {}
    problems = []
    for field in fields(Look):
        value = given.get(field.name, "")
        allowed = _ALLOWED.get(field.name)
        if not value:
            continue
        if allowed is not None and value not in allowed:
            text = _("%(field)s %(value)r is not known: use one of %(allowed)s.")
            known = ", ".join(filter(None, allowed))
            problems.append(text % {"field": field.name, "value": value[:40], "allowed": known})
        elif len(value) > LONGEST:
            text = _("%(field)s is longer than %(most)d characters.")
            problems.append(text % {"field": field.name, "most": LONGEST})
        else:
            found[field.name] = value
    return Look(**found), problems
