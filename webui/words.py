"""Translates names from machine descriptions, and formats numbers, in the reader's language.

Descriptions are in English, and programs read them in English; pages translate them. Messages that contain
values are rendered by webui.messages.
"""

from django.utils.formats import get_format
from django.utils.translation import pgettext

# contexts in the catalogues: of what a description names, and of templates of messages
MACHINE, MESSAGE = "machine", "message"


def named(text: str) -> str:
    """Return the translated name of a part, a channel, a parameter or a kind of machine."""
    return pgettext(MACHINE, text) if text else text


def with_separator(number: str) -> str:
    """Return the digits of a number with the decimal separator of the reader's language."""
    return number.replace(".", str(get_format("DECIMAL_SEPARATOR")))
