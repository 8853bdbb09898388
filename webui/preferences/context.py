"""Context processors that give the person's choices to every template."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from twin.preferences.models import Units
from twin.preferences.services import preference_of


def preferences(request: HttpRequest) -> dict[str, Any]:
    """Return `units` in use, `other_units` to switch to, and `tour_offered` (True if not seen yet)."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"units": Units.METRIC}
    chosen = preference_of(user)
    other = Units.US if chosen.units == Units.METRIC else Units.METRIC
    return {"units": Units(chosen.units), "other_units": other, "tour_offered": not chosen.tour_seen}


def languages(request: HttpRequest) -> dict[str, Any]:
    """Return `other_languages`, to which one can switch, and `words`, the file with the texts of scripts."""
    here = get_language() or settings.LANGUAGE_CODE
    return {
        "other_languages": [each for each in settings.LANGUAGES if each[0] != here],
        "words": f"words/{here}.js",
    }
