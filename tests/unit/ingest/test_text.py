"""Text of others is shown, never obeyed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from twin.text import printable, shortened


@settings(deadline=None)
@given(st.text(st.characters(codec=None), max_size=200), st.integers(1, 100))
def test_whatever_comes_in_can_be_encoded_and_printed(text: str, length: int) -> None:
    safe = shortened(text, length)
    assert len(safe) <= length
    assert safe.isprintable()
    assert safe.encode().decode() == safe
    assert printable(text).isprintable()


def test_printable_text_stays_as_it_is() -> None:
    assert printable("Öldruck 5 µm²") == "Öldruck 5 µm²"
    assert printable("\x1b]0;\0") == r"\x1b]0;\x00"
