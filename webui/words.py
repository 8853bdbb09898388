"""Names from machine descriptions, and numbers, in the reader's language.

Descriptions are in English, and programs read them so; pages translate them. Messages with values in them are
webui.messages' business.
"""

from django.utils.formats import get_format
from django.utils.translation import pgettext

# contexts in the catalogues: of what a description names, and of templates of messages
MACHINE, MESSAGE = "machine", "message"


def named(text: str) -> str:
    """A part, a channel, a parameter or a kind of machine."""
    return pgettext(MACHINE, text) if text else text


def with_separator(number: str) -> str:
    """The digits of a number with the decimal separator of the reader's language."""
    return number.replace(".", str(get_format("DECIMAL_SEPARATOR")))
