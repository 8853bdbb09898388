"""`python -m simcore bench`: times of steps with their errors, beside other engines in the same run."""

from simcore.cli.bench.catalogue import NAMES, bench, check_names, left_out
from simcore.cli.bench.report import as_json, circumstances, line
from simcore.cli.bench.timing import Timing

__all__ = ["NAMES", "Timing", "as_json", "bench", "check_names", "circumstances", "left_out", "line"]
