"""A state is logged when it changes."""

import logging

import pytest

from twin.log_on_change import LogOnChange

log = logging.getLogger("hydratwin.test")


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_problem_is_logged_once_when_it_begins_changes_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    changes = LogOnChange(log, recovered="well again")
    with caplog.at_level(logging.INFO):
        changes.ok()
        for text in ("lost", "lost", "gone 100%", "gone 100%"):
            changes.report(text)
        changes.ok()
        changes.ok()
    assert lines(caplog) == ["lost", "gone 100%", "well again"]
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "INFO"]


def test_a_state_may_have_texts_and_details_that_differ(caplog: pytest.LogCaptureFixture) -> None:
    changes = LogOnChange(log)
    with caplog.at_level(logging.INFO):
        changes.report("lost: first reason", state="lost")
        changes.report("lost: second reason", state="lost")
        changes.ok()
        changes.report("sending", level=logging.INFO, detail=" (3 waiting)")
        changes.report("sending", level=logging.INFO, detail=" (2 waiting)")
    assert lines(caplog) == ["lost: first reason", "sending (3 waiting)"]
