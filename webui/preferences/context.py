"""Context processors: the person's choices, for every template."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from twin.preferences.models import Units
from twin.preferences.services import preference_of


def preferences(request: HttpRequest) -> dict[str, Any]:
    """`units`: the system in use; `other_units`: the one to switch to; `tour_offered`: not yet seen."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"units": Units.METRIC}
    chosen = preference_of(user)
    other = Units.US if chosen.units == Units.METRIC else Units.METRIC
    return {"units": Units(chosen.units), "other_units": other, "tour_offered": not chosen.tour_seen}


def languages(request: HttpRequest) -> dict[str, Any]:
    """`other_languages`: to switch to; `words`: the file with the messages and words of scripts."""
    here = get_language() or settings.LANGUAGE_CODE
    return {
        "other_languages": [each for each in settings.LANGUAGES if each[0] != here],
        "words": f"words/{here}.js",
    }
