"""Template filters for numbers and words about machines."""

from typing import Any

from django import template
from django.utils.translation import gettext as _

from simcore.machines.quality.scale import number_text
from webui import words

register = template.Library()
register.filter("named", words.named)


@register.filter
def figure(value: Any) -> str:
    """Format a measured number with suitable digits; return any other value unchanged."""
    return words.with_separator(number_text(value)) if isinstance(value, float) else str(value)


@register.filter
def status_word(status: str) -> str:
    """Return the status of a twin in one word."""
    known = {
        "synced": _("Synced"),
        "coasting": _("Predicting"),
        "stale": _("Stale"),
        "failed": _("Failed"),
        "waiting": _("Waiting"),
        "unknown": _("Unknown"),
    }
    return known.get(status, status)
