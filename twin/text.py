"""Makes text from devices and users safe to encode, log and show."""


def printable(text: str) -> str:
    """Return the text with unprintable characters escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, length: int) -> str:
    """Return the printable text, cut to at most `length` characters."""
    safe = printable(text[: length + 1])
    return safe if len(safe) <= length else f"{safe[: length - 1]}…"
