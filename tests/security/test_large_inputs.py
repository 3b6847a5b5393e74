"""Long texts of any make, through every door: twice the text, about twice the work."""

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
Door = Callable[[loom.Context, str], object]


def _asked(ctx: loom.Context) -> loom.Context:
    ctx.user("go")
    ctx.turn()
    return ctx


def _chunks(text: str) -> Iterator[dict[str, Any]]:
    for at in range(0, len(text), 7):
        piece = {"content": text[at : at + 7]}
        yield {"choices": [{"index": 0, "delta": piece, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def _called(ctx: loom.Context, tool: str, given: object, text: str, *, error: bool = False) -> None:
    call = loom.ToolCall("c1", tool, json.encode(given).decode())
    _asked(ctx).reply(loom.Reply((call,)))
    ctx.result("c1", text, error=error)


def _spawned(ctx: loom.Context, text: str) -> None:
    with ctx.agents.spawn(text, name="one", redact=()) as child:
        child.turn()


DOORS: dict[str, Door] = {
    "speech": lambda c, text: _asked(c).reply(text),
    "thought": lambda c, text: _asked(c).reply(
        loom.Reply((loom.Reasoning(text), loom.Speech("Yes.")))
    ),
    "stream": lambda c, text: [*_asked(c).collect(_chunks(text))],
    "arguments": lambda c, text: _called(c, "Frob", {"x": text}, "done"),
    "failure": lambda c, text: _called(c, "Bash", {"command": "make test"}, text, error=True),
    "file": lambda c, text: _called(c, "Read", {"file_path": "a.py"}, text),
    "command": lambda c, text: _called(c, "Bash", {"command": text}, "done"),
    "user": lambda c, text: c.user(text),
    "notes": lambda c, text: [*map(c.working.note, ("begun", text, "ended"))],
    "plan": lambda c, text: c.working.plan([text]),
    "goal": lambda c, text: c.working.set_goal(text),
    "system": lambda c, text: c.system(text),
    "bus": lambda c, text: c.agents.emit("told.all", text),
    "agent": _spawned,
    "memory": lambda c, text: c.memory.save(text),
    "rules": lambda c, text: c.memory.remember("rules", text),
}


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


@all_cases("door", DOORS)
def test_work_follows_the_text(tmp_path: Path, door: str) -> None:
    """Twice any text costs about twice as much, or so little that it does not matter.

    Where time is short a sixth of the texts comes by each door, each text by a sixth of the doors.
    """
    slow = []
    for number, (name, make) in enumerate(MADE.items()):
        if not SIMULATED and number % 6 != [*DOORS].index(door) % 6:
            continue
        took = [seconds(tmp_path / f"{number}-0", DOORS[door], make(2 * SMALL))]
        if took[0] <= MOST * FLOOR:
            continue
        took.insert(0, seconds(tmp_path / f"{number}-1", DOORS[door], make(SMALL)))
        took.append(seconds(tmp_path / f"{number}-2", DOORS[door], make(4 * SMALL)))
        small, middle, large = (max(one, FLOOR) for one in took)
        # One step may be a threshold, and another process may have had the machine.
        if (middle > MOST * small and large > MOST * middle) or large > MOST**2 * small:
            slow.append((name, took))
    assert not slow
