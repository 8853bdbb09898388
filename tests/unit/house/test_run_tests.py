"""The parts of `make test`: what they say, in which order, and what comes of a failure."""

import sys

import pytest

from tests.waiting import wait_for
from tools import run_tests


def part(word: str, seconds: float = 0.0, code: int = 0) -> list[str]:
    return [
        sys.executable,
        "-c",
        f"import time; time.sleep({seconds}); print({word!r}); raise SystemExit({code})",
    ]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(run_tests, "warm_kernels", lambda: True)
    monkeypatch.setattr(run_tests, "LINT", part("lint", 0.3))
    monkeypatch.setattr(run_tests, "COMPUTING", part("computing"))
    monkeypatch.setattr(run_tests, "SERVICES", part("services"))
    return monkeypatch


def said(capfd: pytest.CaptureFixture[str]) -> list[str]:
    return capfd.readouterr().out.split()


def test_every_part_is_shown_and_the_tests_after_the_style(
    parts: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_tests.main("test") == 0
    words = said(capfd)
    assert sorted(words) == ["computing", "lint", "services"]
    assert words.index("lint") < words.index("computing")
    assert run_tests.main("check") == 0
    assert said(capfd) == ["lint", "computing"]


@pytest.mark.parametrize("failing", ["LINT", "COMPUTING"])
def test_what_failed_is_said_again_at_the_end(
    parts: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], failing: str
) -> None:
    parts.setattr(run_tests, failing, part("broken", code=1))
    assert run_tests.main("test") == 1
    words = said(capfd)
    assert words.count("broken") == 2
    assert words[-1] == "broken"
    assert "services" in words


def test_a_failure_of_the_services_is_one_of_the_whole(
    parts: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    parts.setattr(run_tests, "SERVICES", part("broken", code=1))
    assert run_tests.main("test") == 1
    assert "broken" in said(capfd)


def test_nothing_is_tested_with_kernels_that_do_not_compile(
    parts: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    parts.setattr(run_tests, "warm_kernels", lambda: False)
    assert run_tests.main("test") == 1
    assert said(capfd) == []


def test_a_part_that_is_stopped_can_put_its_things_away(capfd: pytest.CaptureFixture[str]) -> None:
    """As pytest does with the services of its tests; a part that was killed would leave them running."""
    wait = "import time\ntry:\n print('begun', flush=True); time.sleep(60)\n"
    code = wait + "except KeyboardInterrupt:\n print('tidy')"
    run_tests.heed_signals()
    stopped = run_tests.Part([sys.executable, "-c", code])
    words: list[str] = []
    wait_for(lambda: words.extend(said(capfd)) or words == ["begun"], "the part")
    stopped.stop()
    assert said(capfd) == ["tidy"]
