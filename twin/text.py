"""Text of others, made safe to encode, to log and to show."""


def printable(text: str) -> str:
    """The same text with everything a terminal or an encoder could stumble over written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, length: int) -> str:
    """Printable, and never longer than this many characters."""
    safe = printable(text[: length + 1])
    return safe if len(safe) <= length else f"{safe[: length - 1]}…"
