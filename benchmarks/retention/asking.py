"""How an agent would ask for what it misses, and the bounded answer it would get.

It knows what the call at hand is about, never the needle. Of the names the request shows on a line
that says what they come from, it takes the last. Where the line says which lines were left out
there it asks for those, else for the whole. When the answer says that it was cut, it asks once
more: for the terms it has said with this call, or without any for the lines the answer names next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

import loom
from benchmarks.retention.labels import Need
from benchmarks.retention.needle import held, held_by_any
from benchmarks.retention.verdicts import CUT, FIRST, NEXT, SPANS, UNNAMED, WRONG
from loom.context.inputs import own_answer
from loom.inputs import Reply, ToolCall

LEFT_OUT = re.compile(r"lines? (\d+)[–-](\d+)[^→\n]*→ *$")  # before a name: what is not shown there
REST = re.compile(r"bytes rest in|rest: page_in\(")
ON = re.compile(r"lines='(\d+-\d+)'")  # the lines an answer says to ask for next
LEAST = 12  # characters of a line by which a part of a needle is known

Ways = dict[str, str]
Texts = Callable[[str], Sequence[str]]


def would_answer(context: loom.Context, arguments: Ways) -> str:
    """The result of a call of `page_in` as it would enter the window; nothing is committed."""
    engine = context._engine
    call = ToolCall("asked", "page_in", json.dumps(arguments, ensure_ascii=False))
    step = engine.ingest.reply(Reply((call,)), engine.window.history.next_id, engine.share())
    returned, *_ = own_answer(engine, engine.edits(), step, engine.tools["page_in"], call)
    return returned.outcome.text.body or ""


def first(line: str, name: str) -> Ways:
    """The arguments for a name on a line."""
    found = LEFT_OUT.search(line[: line.find(name)])
    return {"ref": name, **({"lines": f"{found[1]}-{found[2]}"} if found else {})}


def following(asked: Ways, answer: str, terms: Sequence[str]) -> Ways | None:
    """The arguments of the next call, after an answer that was cut; None after a whole one."""
    if not REST.search(answer):
        return None
    if terms:
        return {"ref": asked["ref"], "grep": "|".join(map(re.escape, terms))}
    lines = ON.search(answer)
    return {"ref": asked["ref"], "lines": lines[1]} if lines else None


def calls(context: loom.Context, need: Need, fitting: Sequence[tuple[str, str]]) -> Iterator[Ways]:
    """The calls an agent would make, given the fitting (line, name) of the request in order."""
    if fitting:
        line, name = fitting[-1]
        asked = first(line, name)
        yield asked
        more = following(asked, would_answer(context, asked), need.terms)
        if more is not None:
            yield more


def met_by(
    context: loom.Context, need: Need, fitting: Sequence[tuple[str, str]], texts: Texts
) -> str:
    """FIRST or NEXT when that answer has the needle, else why none has."""
    for place, asked in zip((FIRST, NEXT), calls(context, need, fitting), strict=False):
        if held(need.needle, would_answer(context, asked)):
            return place
    if not fitting:
        return UNNAMED
    known = texts(fitting[-1][1])
    if held_by_any(need.needle, known):
        return CUT
    parts = [part for line in need.needle.splitlines() if len(part := line.strip()) >= LEAST]
    return SPANS if len(parts) > 1 and any(held_by_any(p, known) for p in parts) else WRONG
