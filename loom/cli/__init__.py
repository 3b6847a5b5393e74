"""The command line: `app` has a line for each command, `docs/commands.md` has a row for each.

Exit codes: 0 fine, 1 the command found something wrong, 2 bad usage or bad input, 130 interrupted.
"""

from loom.cli.app import main

__all__ = ["main"]
