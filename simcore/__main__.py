"""Runs the command line: `python -m simcore`."""

import sys

from simcore.cli.main import main

sys.exit(main(sys.argv[1:]))
