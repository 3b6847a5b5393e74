"""`python -m tests.reach`: how much of the source one call runs through.

Counted are files and functions with an executed line. It is a measure of the house, not of
time: who wants to follow a result or a turn reads so many files. Counted on a warm session without
project, memory, skills, toolbox or agents: the second result of two kilobytes of text, and the
second turn, which makes no cut.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from cyclopts import App

import loom
from benchmarks.show import end, on_stderr
from loom.inputs import Reply, ToolCall
from loom.text import escape_invisible_lines
from loom_bench.tables import table

ROOT = Path(loom.__file__).resolve().parents[1]
ROOMS = tuple(f"{ROOT / name}/" for name in ("loom", "partitions", "paging"))
TEXT = "one line of what a tool said\n" * 70


def reached(call: Callable[[], object]) -> set[CodeType]:
    """The functions of Loom in which the call executes a line."""
    found: set[CodeType] = set()

    def called(frame: FrameType, event: str, value: Any) -> None:
        if frame.f_code.co_filename.startswith(ROOMS):
            found.add(frame.f_code)

    before = sys.gettrace()
    sys.settrace(called)
    try:
        call()
    finally:
        sys.settrace(before)
    return found


def measured() -> dict[str, set[CodeType]]:
    """The functions of a warm `result` and of a warm `turn`."""
    with tempfile.TemporaryDirectory() as folder, loom.open(folder, durable=False) as ctx:
        ctx.user("Go on.")
        for number in (1, 2):
            ctx.turn()
            call = ToolCall(f"call_{number}", "Bash", '{"command": "make"}')
            ctx.reply(Reply((call,)))
            result = reached(lambda call=call: ctx.result(call, TEXT))  # type: ignore[misc]
        return {"result": result, "turn": reached(ctx.turn)}


def reach(*, files: bool = False, json: bool = False) -> int:
    """Count the source files and functions a result and a turn run through.

    Parameters
    ----------
    files
        Name the files on stderr.
    json
        No table, only the JSON line.
    """
    measured()  # caches of the process are warm as well
    found = measured()
    counted = {
        name: {"files": len({code.co_filename for code in codes}), "functions": len(codes)}
        for name, codes in found.items()
    }
    if files:
        for name, codes in found.items():
            for path in sorted({code.co_filename for code in codes}):
                on_stderr(f"{name}: {Path(path).relative_to(ROOT)}")
    rows = [[name, str(one["files"]), str(one["functions"])] for name, one in counted.items()]
    made = table("What a call runs through", ["call", "files", "functions"], rows)
    end(counted, [] if json else [made])
    return 0


if __name__ == "__main__":
    app = App(name="reach", error_formatter=lambda error: escape_invisible_lines(str(error)))
    app.default(reach)
    sys.exit(app())
