"""Getting back what left a window, by nothing but the names that window shows.

An agent has two ways: Loom's own `page_in` for every name, and its own file tool on the workspace
folder for every path. All that a name allows are tried, and compared byte for byte with what went
in. A step whose name stands there alone has no file; its path, once told, has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

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


FILES = "fs:read_file"  # the agent's own tool, which opens paths alone
# How the scripted agent words a look-up: tool, the argument that names, and the others.
LOOKS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("page_in", "ref", {}),
    ("page_in", "ref", {"lines": "1-20"}),
    ("page_in", "ref", {"grep": "price|status"}),
    (FILES, "path", {}),
)


def error_rate(ctx: Context, folder: Path, steps: Sequence[PayloadStep]) -> float:
    """Share of look-ups that fail, 0 to 1, over a run whose agent asks for names it is shown.

    `ctx` needs its own tools. A plain read is made of paths alone; one that is no file is a dead
    reference.
    """
    failed: list[bool] = []
    rng = Random(1)
    for number, one in enumerate(steps):
        ctx.turn()
        ctx.reply(one.reply(number))
        ctx.result(ctx.calls[0], one.result)
        if number % EVERY == EVERY - 1:
            text = text_of(ctx.turn())
            paths = sorted({*PAGE.findall(text), *VIEW.findall(text)})
            shown = sorted({*PAGE.findall(text), *ENTRY.findall(text)})
            for name in rng.sample(shown, min(LOOKUPS, len(shown))):
                tool, key, others = LOOKS[len(failed) % len(LOOKS)]
                if tool == FILES and name not in paths:
                    if not paths:
                        continue
                    name = rng.choice(paths)
                failed.append(_fails(ctx, folder, tool, {key: name, **others}, len(failed)))
    return sum(failed) / len(failed)


def _fails(ctx: Context, folder: Path, tool: str, arguments: dict[str, str], number: int) -> bool:
    """True when a look-up fails; the agent's own file tool has the workspace as its folder."""
    ctx.turn()
    ctx.reply(Reply((ToolCall(f"look_{number:04d}", tool, json.dumps(arguments)),)))
    for call in ctx.calls:
        try:
            ctx.result(call.id, (folder / arguments["path"]).read_text("utf-8"))
        except (OSError, PagingError) as error:
            ctx.result(call.id, str(error), error=True)
    return bool(ctx.history.restore(ctx.window.history.next_id - 1).errors)
