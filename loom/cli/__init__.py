"""The command line. `cli/app.py` lists each command, `docs/commands.md` describes each.

Exit codes: 0 fine, 1 the command found something wrong, 2 bad usage or bad input, 130 interrupted.
"""

from loom.cli.app import main

__all__ = ["main"]
