"""How an agent would ask for what it misses, and the bounded answer it would get.

It knows what the call at hand is about, never the needle. Of the names the request shows on a line
that says what they come from, it takes the last. It asks for the terms it has said with this call;
without any for the lines that were left out there, else for the whole. When the answer says that
it was cut, it asks once more, for the lines that the answer names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import loom
from loom_bench.recorded.labels import Need
from loom_bench.recorded.verdicts import CUT, FIRST, NEXT, SPANS, UNNAMED, WRONG
from loom_bench.sessions.needle import held, held_by_any
from loom_bench.strategies.looking import Ways, would_answer

LEFT_OUT = re.compile(r"lines? (\d+)[–-](\d+)[^→\n]*→ *$")  # before a name: what is not shown there
MORE = re.compile(r"\[more: page_in \S+ lines=(\d+-\d+)\]")
LEAST = 12  # characters of a line by which a part of a needle is known

Newest = tuple[str, str] | None  # a line and the name on it
Texts = Callable[[str], Sequence[str]]


def calls(context: loom.Context, name: str, terms: Sequence[str], line: str = "") -> Iterator[Ways]:
    """The call for a name that a line shows, and the next when its answer says there is more."""
    asked = {"ref": name, **_part(line, name, terms)}
    more = MORE.search(would_answer(context, "page_in", asked))
    yield asked
    if more is not None:
        yield {"ref": name, "lines": more[1]}


def _part(line: str, name: str, terms: Sequence[str]) -> Ways:
    """What is asked of a name beside it."""
    if terms:
        return {"grep": "|".join(map(re.escape, terms))}
    left = LEFT_OUT.search(line[: line.find(name)])
    return {"lines": f"{left[1]}-{left[2]}"} if left else {}


def met_by(context: loom.Context, need: Need, newest: Newest, texts: Texts) -> str:
    """FIRST or NEXT when that answer has the needle, else why none has."""
    if newest is None:
        return UNNAMED
    line, name = newest
    for place, asked in zip((FIRST, NEXT), calls(context, name, need.terms, line), strict=False):
        if held(need.needle, would_answer(context, "page_in", asked)):
            return place
    known = texts(name)
    if held_by_any(need.needle, known):
        return CUT
    parts = [part for line in need.needle.splitlines() if len(part := line.strip()) >= LEAST]
    return SPANS if len(parts) > 1 and any(held_by_any(p, known) for p in parts) else WRONG
