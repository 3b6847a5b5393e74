"""`python -m loom`: the commands."""

import sys

if __name__ == "__main__":
    from loom.cli import main

    sys.exit(main())
