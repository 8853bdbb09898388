"""Figures in templates."""

from typing import Any

from django import template

from simcore.machines.quality.scale import number_text

register = template.Library()


@register.filter
def figure(value: Any) -> str:
    """A measured number with as many digits as it deserves; anything else as it is."""
    return number_text(value) if isinstance(value, float) else str(value)
