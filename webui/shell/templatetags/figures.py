"""Figures and words of machines in templates."""

from typing import Any

from django import template
from django.utils.translation import gettext as _

from simcore.machines.quality.scale import number_text
from webui import words

register = template.Library()
register.filter("named", words.named)
register.filter("measured", words.measured)


@register.filter
def figure(value: Any) -> str:
    """A measured number with as many digits as it deserves; anything else as it is."""
    return words.local(number_text(value)) if isinstance(value, float) else str(value)


@register.filter
def status_word(status: str) -> str:
    """How a twin is, in a word."""
    known = {
        "synced": _("Synced"),
        "coasting": _("Coasting"),
        "stale": _("Stale"),
        "failed": _("Failed"),
        "waiting": _("Waiting"),
        "unknown": _("Unknown"),
    }
    return known.get(status, status)
