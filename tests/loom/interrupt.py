"""An interrupt at any line of the tree: Ctrl-C, where it may come, or no memory left."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(str(ROOT / name) + os.sep for name in ("loom", "partitions", "paging"))
Place = tuple[str, int]


class Interrupt:
    """Raises `error` when a line is reached for the n-th time; counts lines otherwise."""

    def __init__(
        self,
        at: Place | None = None,
        time: int = 1,
        error: type[BaseException] = KeyboardInterrupt,
    ) -> None:
        self.at, self.time, self.error = at, time, error
        self.seen: dict[Place, int] = {}
        self.raised = False

    def __enter__(self) -> Interrupt:
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, event: str, value: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(ROOMS) else None

    def _line(self, frame: FrameType, event: str, value: Any) -> Any:
        if event == "line":
            place = (_path(frame.f_code.co_filename), frame.f_lineno)
            self.seen[place] = self.seen.get(place, 0) + 1
            if place == self.at and self.seen[place] == self.time:
                self.raised = True
                raise self.error("interrupted here")
        return self._line


@cache
def _path(name: str) -> str:
    return str(Path(name).relative_to(ROOT))
