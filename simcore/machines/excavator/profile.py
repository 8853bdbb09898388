"""Defines how the quality of the excavator model is measured, and which excavators the demo contains."""

from __future__ import annotations

from simcore.model.profile import DemoMachine, DemoSite, PlatformProfile

PROFILE = PlatformProfile(
    standing={"soil": "none"},
    demo_machines=(
        DemoMachine("Excavator 21", 21),
        DemoMachine("Excavator 22", 22, {"bucket": "small", "dipper_cylinder": "small"}),
        DemoMachine("Excavator 23", 23, {"bucket": "large"}),
        DemoMachine("Excavator 24", 24, {"dipper_cylinder": "large"}, fault="worn seals"),
        DemoMachine("Excavator 25", 25, {"bucket": "small"}, stuck="boom.p_B"),
    ),
    demo_site=DemoSite("North quarry", "quarry", 650.0, 900.0),
)
