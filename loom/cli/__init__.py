"""The command line: `loom demo`, `replay`, `bench`, `report`, `stat`, `context`, `top`, `ps`,
`log`, `pages`, `cat`, `memory`, `skills`, `check`, `signal`, `gc`, `purge`, `serve`, `hook`,
`mcp`, `doctor`.

Exit codes: 0 fine, 1 the command found something wrong, 2 bad usage or bad input, 130 interrupted.
"""

from loom.cli.app import main

__all__ = ["main"]
