"""Describes a User-Agent header in words, such as "Firefox on Windows"."""

import re

from django.utils.translation import gettext as _

LONGEST = 60  # characters shown of an unknown one
# most browsers also name those they are compatible with: the first match in this order is right
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox|FxiOS", "Firefox"),
    ("Chrome|HeadlessChrome|CriOS|Chromium", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone|iPad", "iOS"),
    ("Mac OS X|Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser(user_agent: str) -> str:
    """Return browser and system; for other programs, return the start of the header."""
    found = _first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)
    if None in found:
        return user_agent[:LONGEST] or _("unknown")
    return _("%(browser)s on %(system)s") % {"browser": found[0], "system": found[1]}


def _first(names: tuple[tuple[str, str], ...], user_agent: str) -> str | None:
    return next((name for pattern, name in names if re.search(rf"\b({pattern})", user_agent)), None)
