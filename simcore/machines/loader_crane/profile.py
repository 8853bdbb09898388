"""Defines how the quality of the loader crane model is measured, and which cranes the demo contains."""

from __future__ import annotations

from simcore.machines.loader_crane.work_cycle import EMPTY
from simcore.model.profile import DemoMachine, DemoSite, PlatformProfile

_EMPTY_HOOK = {"payload": EMPTY}

PROFILE = PlatformProfile(
    at_work=_EMPTY_HOOK,
    demo_machines=(
        DemoMachine("Loader crane 11", 11, _EMPTY_HOOK),
        DemoMachine("Loader crane 12", 12, _EMPTY_HOOK | {"boom_length": 2.8, "jib_length": 2.8}),
        DemoMachine("Loader crane 13", 13, _EMPTY_HOOK, fault="worn seals"),
        DemoMachine("Loader crane 14", 14, _EMPTY_HOOK | {"usual_load": 900.0}),
        DemoMachine("Loader crane 15", 15, _EMPTY_HOOK, stuck="fold.p_A"),
    ),
    demo_site=DemoSite("Harbour yard", "yard", 1400.0, -350.0),
)
