"""What a telemetry body may hold, read once from the settings."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Limits:
    max_samples: int
    max_future_us: int
    max_age_us: int

    @classmethod
    def from_settings(cls) -> "Limits":
        return cls(settings.MAX_SAMPLES, settings.MAX_FUTURE_US, settings.MAX_AGE_US)
