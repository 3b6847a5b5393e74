"""The error of a recorded session that cannot be read."""

from __future__ import annotations

from pathlib import Path

from loom.errors import LoomError


class BadSession(LoomError, ValueError):
    """A recorded session cannot be read; nothing of it was loaded.

    `line` counts from 1 and is 0 when it is not known; `why` says what is wrong there.
    """

    def __init__(self, path: Path, line: int, why: str) -> None:
        self.path = path
        self.line = line
        self.why = why
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {why}")
