"""Plain texts of any make cost work in proportion to their length, through each door."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from time import process_time

from msgspec import json

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import plain

SMALL, TIMES = 25_000, 4
MORE = 10  # times the work for TIMES the text: linear, with what a loaded machine adds
UNITS = ["\n", "=\n", "-----", "def f(", "class A:\n", "a,b\n", "# a\n", "ERROR x\n"]


def _call(ctx: loom.Context, tool: str, **given: str) -> None:
    ctx.user("go")
    ctx.turn()
    ctx.reply(loom.Reply((loom.ToolCall("c1", tool, json.encode(given).decode()),)))


def _read(ctx: loom.Context, text: str) -> None:
    _call(ctx, "Read", file_path="a.py")
    ctx.result("c1", text)


def _failed(ctx: loom.Context, text: str) -> None:
    _call(ctx, "Bash", command="make test")
    ctx.result("c1", text, error=True)


def _asked(ctx: loom.Context, text: str) -> None:
    _call(ctx, "Bash", command=text)
    ctx.result("c1", "done")


def _typed(ctx: loom.Context, text: str) -> None:
    ctx.user(text)


def _noted(ctx: loom.Context, text: str) -> None:
    ctx.working.note("begun")
    ctx.working.note(text)
    ctx.working.note("ended")


DOORS = [_read, _failed, _asked, _typed, _noted]


def seconds(path: Path, door: Callable[[loom.Context, str], None], text: str) -> float:
    """Processor time of a text through a door, with the turn and the cut that follow; a collection
    of all that other tests left is none of it."""
    with plain(path, window=16_000, redact=()) as ctx:
        gc.disable()
        try:
            began = process_time()
            door(ctx, text)
            ctx.turn()
            ctx.reply("Go on.")
            ctx.renew()
            ctx.turn()
            return process_time() - began
        finally:
            gc.enable()


@all_cases("door", DOORS, ids=lambda door: door.__name__[1:])
@all_cases("unit", UNITS, ids=repr)
def test_work_follows_the_text(
    tmp_path: Path, door: Callable[[loom.Context, str], None], unit: str
) -> None:
    """Four times the text costs about four times as much, or so little that it does not matter."""
    text = unit * (SMALL // len(unit))
    small = seconds(tmp_path / "a", door, text)
    large = seconds(tmp_path / "b", door, text * TIMES)
    if large > MORE * max(small, 0.02):  # once more: another process may have had the machine
        small = seconds(tmp_path / "c", door, text)
        large = min(large, seconds(tmp_path / "d", door, text * TIMES))
    assert large <= MORE * max(small, 0.02)


def test_a_step_of_many_calls_takes_its_results(tmp_path: Path) -> None:
    """Four times the calls of one step cost well below the square of that."""
    took = []
    for number in (200, 800):
        with plain(tmp_path / str(number), redact=()) as ctx:
            ctx.user("go")
            ctx.turn()
            calls = (loom.ToolCall(f"c{at}", "Read", "{}") for at in range(number))
            ctx.reply(loom.Reply(tuple(calls)))
            began = process_time()
            for at in range(number):
                ctx.result(f"c{at}", "text")
            took.append(process_time() - began)
    assert took[1] < MORE * took[0]
