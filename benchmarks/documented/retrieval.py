"""Getting back what left a window, by nothing but the names that window shows.

An agent has two ways: Loom's own `page_in` for every name, and its own file tool on the workspace
folder for every path. All that a name allows are tried, and compared byte for byte with what went
in. A step whose name stands there alone has no file; its path, once told, has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from benchmarks.documented.payloads import PayloadStep
from loom.context import Context
from loom.engine.turn import Turn
from loom.errors import LoomError
from loom.inputs import Reply, ToolCall
from loom_paging import PagingError

PAGE = re.compile(r"\boutputs/[\w.-]*\w")
ENTRY = re.compile(r"\bstep_\d{4,}\b")
VIEW = re.compile(r"\bhistory/step_\d{4,}\.json\b")
EVERY = 2  # the scripted agent looks something up after every second step
LOOKUPS = 2  # names it asks for each time


class Offloaded(Struct, frozen=True):
    """A result that rests on a page: the page, the entry it belongs to, its call, its text."""

    page: str
    entry: str
    call: str
    text: str


def text_of(turn: Turn) -> str:
    """Everything a request shows, as one text."""
    messages = turn.request("openai")["messages"]
    return "\n".join(str(message.get("content") or "") for message in messages)


def names(ctx: Context, text: str) -> set[str]:
    """The names of pages and steps in a text, on the digest pages it names, and on theirs; and the
    paths of steps in the text itself."""
    found = set(VIEW.findall(text))
    unread = [text]
    while unread:
        listed = unread.pop()
        fresh = {*PAGE.findall(listed), *ENTRY.findall(listed)} - found
        found |= fresh
        unread += [ctx.page_in(name).text for name in fresh if name.startswith("outputs/digest_")]
    return found


def recovered(ctx: Context, folder: Path, offloaded: Sequence[Offloaded]) -> float:
    """Share of offloaded bytes, 0 to 1, that both ways bring back exactly from the last request."""
    shown = names(ctx, text_of(ctx.turn()))
    total = back = 0
    for one in offloaded:
        size = len(one.text.encode())
        total += size
        back += size * _comes_back(ctx, folder, one, shown)
    return back / total if total else 1.0


def _comes_back(ctx: Context, folder: Path, one: Offloaded, shown: set[str]) -> bool:
    """True when a result is whole by its page's name and path, or else by its step's."""
    try:
        if one.page in shown:
            paged = ctx.page_in(one.page).text, (folder / one.page).read_text("utf-8")
            return paged == (one.text, one.text)
        if one.entry in shown:
            paged = json.loads(ctx.page_in(one.entry, pointer=f"/results/{one.call}").text)
            view = f"history/{one.entry}.json"
            told = [json.loads((folder / view).read_text("utf-8"))] if view in shown else []
            return {paged, *(data["results"][one.call] for data in told)} == {one.text}
    except (LoomError, OSError):
        return False
    return False


Lookup = Callable[[str], dict[str, Any]]

FILES = "fs:read_file"  # the agent's own tool, which opens paths alone
# How the scripted agent words a look-up: tool, and arguments for a name.
LOOKS: tuple[tuple[str, Lookup], ...] = (
    ("page_in", lambda name: {"ref": name}),
    ("page_in", lambda name: {"ref": name, "lines": "1-20"}),
    ("page_in", lambda name: {"ref": name, "grep": "price|status"}),
    (FILES, lambda name: {"path": name}),
)


def error_rate(ctx: Context, folder: Path, steps: Sequence[PayloadStep]) -> float:
    """Share of look-ups that fail, 0 to 1, over a run whose agent asks for names it is shown.

    `ctx` needs its own tools. A plain read is made of paths alone; one that is no file is a dead
    reference.
    """
    agent = _Agent(ctx, folder)
    for number, one in enumerate(steps):
        ctx.turn()
        ctx.reply(one.reply(number))
        ctx.result(ctx.calls[0], one.result)
        if number % EVERY == EVERY - 1:
            agent.look()
    return agent.failed / agent.calls


class _Agent:
    """Asks for what the window names, and counts what it could not have."""

    def __init__(self, ctx: Context, folder: Path) -> None:
        self.calls = 0
        self.failed = 0
        self._ctx = ctx
        self._folder = folder
        self._rng = Random(1)

    def look(self) -> None:
        """Look up some of the names in the present request."""
        text = text_of(self._ctx.turn())
        paths = sorted({*PAGE.findall(text), *VIEW.findall(text)})
        shown = sorted({*PAGE.findall(text), *ENTRY.findall(text)})
        for name in self._rng.sample(shown, min(LOOKUPS, len(shown))):
            tool, words = LOOKS[self.calls % len(LOOKS)]
            if tool == FILES and name not in paths:
                if not paths:
                    continue
                name = self._rng.choice(paths)
            self._ctx.turn()
            self._call(tool, words(name))

    def _call(self, tool: str, arguments: dict[str, Any]) -> None:
        self.calls += 1
        id = f"look_{self.calls:04d}"
        self._ctx.reply(Reply((ToolCall(id, tool, json.dumps(arguments)),)))
        for call in self._ctx.calls:
            self._read(call.id, str(arguments["path"]))
        step = self._ctx.history.restore(self._ctx.window.history.next_id - 1)
        self.failed += bool(step.errors)

    def _read(self, call: str, path: str) -> None:
        """The agent's own file tool, with the workspace as its folder."""
        try:
            self._ctx.result(call, (self._folder / path).read_text("utf-8"))
        except (OSError, PagingError) as error:
            self._ctx.result(call, str(error), error=True)
