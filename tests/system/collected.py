"""Static files as an earlier demo has collected them: that takes as long as all the rest of its start."""

import os
import shutil
from pathlib import Path

COLLECTED = Path(__file__).resolve().parents[2] / "var" / "tests" / "static"


def lend_static(data: Path) -> None:
    """Data of a new demo begin with the collected files; it looks itself whether sources are newer."""
    try:
        shutil.copytree(COLLECTED, data / "static")
    except OSError:  # there are none, or another test run is about to renew them
        shutil.rmtree(data / "static", ignore_errors=True)


def keep_static(data: Path) -> None:
    """Keep what a demo has had to collect for those that come later."""
    mine, kept = (folder / "staticfiles.json" for folder in (data / "static", COLLECTED))
    if kept.exists() and kept.stat().st_mtime >= mine.stat().st_mtime:
        return
    draft = COLLECTED.with_name(f"static-{os.getpid()}")
    shutil.copytree(data / "static", draft)
    shutil.rmtree(COLLECTED, ignore_errors=True)
    try:
        draft.rename(COLLECTED)
    except OSError:  # another test run was faster
        shutil.rmtree(draft)
