"""`python -m simcore bench`: compares time and error of a step with those of other engines."""

from simcore.cli.bench.catalogue import bench, left_out
from simcore.cli.bench.peers import versions
from simcore.cli.bench.report import as_json, circumstances, line
from simcore.cli.bench.timing import Timing

__all__ = ["Timing", "as_json", "bench", "circumstances", "left_out", "line", "versions"]
