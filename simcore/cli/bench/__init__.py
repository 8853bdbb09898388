"""`python -m simcore bench`: compares the time per step and the error of simcore with other engines."""

from simcore.cli.bench.catalogue import bench, left_out
from simcore.cli.bench.peers import versions
from simcore.cli.bench.report import as_json, circumstances, line
from simcore.cli.bench.timing import Timing

__all__ = ["Timing", "as_json", "bench", "circumstances", "left_out", "line", "versions"]
