"""The style guide: each component with data that shows all of its states."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

SAMPLES: dict[str, Any] = {
    "statuses": [
        {"status": "synced", "age_s": 0.2},
        {"status": "coasting", "age_s": 1.4},
        {"status": "stale", "age_s": 75.0},
        {"status": "failed", "age_s": 12.0, "reason": "diverged at t = 3.25 s: pressure in the rod chamber"},
        {"status": "waiting", "age_s": None},
    ],
    "readings": [
        {"label": "Hose pressure", "value": 152.4, "unit": "bar", "sigma": 0.5, "origin": "measured"},
        {
            "label": "Piston chamber pressure",
            "value": 48.1,
            "unit": "bar",
            "sigma": 1.9,
            "origin": "estimated",
        },
        {"label": "Valve spool", "value": 4.2, "unit": "V", "sigma": None, "origin": "simulated"},
        {"label": "Rod chamber pressure", "value": None, "unit": "bar", "sigma": None, "origin": "measured"},
    ],
}


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "styleguide/index.html", {"samples": SAMPLES})
