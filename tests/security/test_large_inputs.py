"""Long texts of any make, through every door: twice the text, about twice the work."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from msgspec import json

import loom
from tests.kit.cases import SIMULATED, all_cases
from tests.kit.opened import plain

SMALL = 50_000  # characters; the large text has twice as many
MOST = 3  # times the work for twice the text: linear, with what a loaded machine adds
FLOOR = 0.1  # seconds of processor time below which two figures tell nothing

UNITS = (
    "\n", "=\n", "-----", "def f(", "a", "\x1b[", "\n\n\n", "{", "[", '"', "- x\n", "# h\n", "a b ",
    "0", "é", "</", "<a>", "> a\n", "\\", "Never push. ", "class A:\n", "a,b\n", "ERROR x\n",
)  # fmt: skip


def _repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def _minified(size: int) -> str:
    dice = Random(5)
    made = "".join(
        f"function f{n}(e,t){{var n=e.a{n}||t[{dice.randint(0, 99)}];return n?e(n):t}};"
        for n in range(size // 50)
    )
    return made[:size]


def _document(size: int) -> str:
    dice = Random(6)
    rows = [{"id": dice.randint(0, 10**6), "name": f"item {n}"} for n in range(size // 34)]
    return json.encode(rows).decode()


def _encoded(size: int) -> str:
    return base64.b64encode(Random(7).randbytes(size))[:size].decode()


MADE: dict[str, Callable[[int], str]] = {
    **{repr(unit): partial(_repeated, unit) for unit in UNITS},
    "a line of JSON": _document,
    "minified JavaScript": _minified,
    "base64": _encoded,
}

Door = Callable[[loom.Context, str], None]


def _asked(ctx: loom.Context) -> None:
    ctx.user("go")
    ctx.turn()


def _said(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    ctx.reply(text)


def _thought(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    ctx.reply(loom.Reply((loom.Reasoning(text), loom.Speech("Yes."))))


def _streamed(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    for _ in ctx.collect(_chunks(text)):
        pass


def _chunks(text: str) -> Iterator[dict[str, Any]]:
    for at in range(0, len(text), 7):
        piece = {"content": text[at : at + 7]}
        yield {"choices": [{"index": 0, "delta": piece, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def _called(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    ctx.reply(loom.Reply((loom.ToolCall("c1", "Frob", json.encode({"x": text}).decode()),)))
    ctx.result("c1", "done")


def _failed(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    ctx.reply(loom.Reply((loom.ToolCall("c1", "Bash", '{"command":"make test"}'),)))
    ctx.result("c1", text, error=True)


def _read(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    ctx.reply(loom.Reply((loom.ToolCall("c1", "Read", '{"file_path":"a.py"}'),)))
    ctx.result("c1", text)


def _ran(ctx: loom.Context, text: str) -> None:
    _asked(ctx)
    ctx.reply(loom.Reply((loom.ToolCall("c1", "Bash", json.encode({"command": text}).decode()),)))
    ctx.result("c1", "done")


def _typed(ctx: loom.Context, text: str) -> None:
    ctx.user(text)


def _noted(ctx: loom.Context, text: str) -> None:
    ctx.working.note("begun")
    ctx.working.note(text)
    ctx.working.note("ended")


def _planned(ctx: loom.Context, text: str) -> None:
    ctx.working.plan([text])


def _aimed(ctx: loom.Context, text: str) -> None:
    ctx.working.set_goal(text)


def _instructed(ctx: loom.Context, text: str) -> None:
    ctx.system(text)


def _told(ctx: loom.Context, text: str) -> None:
    ctx.agents.emit("told.all", text)


def _spawned(ctx: loom.Context, text: str) -> None:
    with ctx.agents.spawn(text, name="one", redact=()) as child:
        child.turn()


def _kept(ctx: loom.Context, text: str) -> None:
    ctx.memory.save(text)


def _remembered(ctx: loom.Context, text: str) -> None:
    ctx.memory.remember("rules", text)


DOORS: tuple[Door, ...] = (
    _said, _thought, _streamed, _called, _failed, _read, _ran, _typed, _noted, _planned, _aimed,
    _instructed, _told, _spawned, _kept, _remembered,
)  # fmt: skip


def seconds(path: Path, door: Door, text: str) -> float:
    """Processor time of a text through a door, with the turns and the cut that follow."""
    with plain(path, window=32_000, redact=()) as ctx:
        began = process_time()
        try:
            door(ctx, text)
        except loom.LoomError:  # refused, and that too is to be quick
            ctx.user("go")
        for after in (ctx.turn, lambda: ctx.reply("Go on."), ctx.renew, ctx.turn):
            try:
                after()
            except loom.OverCapacity:
                break
        return process_time() - began


@all_cases("door", DOORS, ids=lambda door: door.__name__[1:])
def test_work_follows_the_text(tmp_path: Path, door: Door) -> None:
    """Twice any text costs about twice as much, or so little that it does not matter.

    Where time is short a third of the texts comes by each door, each text by a third of the doors.
    """
    slow = []
    for number, (name, make) in enumerate(MADE.items()):
        if not SIMULATED and number % 3 != DOORS.index(door) % 3:
            continue
        took = [seconds(tmp_path / f"{number}-0", door, make(2 * SMALL))]
        if took[0] <= MOST * FLOOR:
            continue
        took.insert(0, seconds(tmp_path / f"{number}-1", door, make(SMALL)))
        took.append(seconds(tmp_path / f"{number}-2", door, make(4 * SMALL)))
        small, middle, large = (max(one, FLOOR) for one in took)
        # One step may be a threshold, and another process may have had the machine.
        if (middle > MOST * small and large > MOST * middle) or large > MOST**2 * small:
            slow.append((name, took))
    assert not slow
