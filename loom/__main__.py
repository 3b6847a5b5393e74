"""Runs Loom's command line: `python -m loom`."""

import sys

if __name__ == "__main__":
    from loom.cli import main

    sys.exit(main())
