"""Recorded compactions: what was needed after them, and who held it.

At every recorded compaction: the paths, identifiers and exact edit texts that the calls of the next
120 messages use and that stood somewhere before it. Each is looked for in the summary the recorder
wrote there, in a tail of as many tokens, and in Loom's window renewed there with 2,700, 8,000 and
16,000 tokens of history. An item is one page-in away when it is resident in the smallest of these
windows, or stands in the text of a page or entry that a rendered line of it names; reading the
listing of a digest is such a page-in, following what the listing names takes two.

A context is replayed once; at each boundary its workspace is copied, and each copy is renewed, so
no renewal sees what another one left.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

import loom
from loom.inputs import Reply
from loom.live import Context
from loom.providers.counts import counter_for
from loom.replay.feed import feed
from loom_bench.carried.items import (
    KINDS,
    Compacted,
    ShownTexts,
    compacted,
    rendered,
    spoken,
    tail,
)

__all__ = [
    "KINDS", "PLACES", "Carried", "carried", "compacted", "figures", "rendered",
    "said", "spoken",
]  # fmt: skip

NAME = re.compile(r"\b(?:outputs|working)/[\w.-]*\w|\b[a-z]+_\d{4,}\b")  # of a page or an entry
ENTRY = re.compile(r"(?:user|step)_\d{4,}")
LISTING = "outputs/digest_"


def _names(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in NAME.findall(text)}


def _behind(context: Context, names: Iterable[str]) -> Iterator[str]:
    """The texts behind some names; none behind one that only looked like a name."""
    for name in sorted(names):
        with suppress(loom.LoomError):
            if not ENTRY.fullmatch(name):
                yield context.page_in(name).text
                continue
            entry = context.history.restore(name)
            said = spoken(entry.reply) if entry.reply is not None else []
            yield from (entry.text, *said, *entry.results.values())


WINDOW = 200_000  # tokens of the context the sessions are replayed in
REPLY = 8_192


HISTORY = (2_700, 8_000, 16_000)  # tokens of a renewed history; the first also tells its names
RENEWED = {f"loom_{tokens}": tokens for tokens in HISTORY}
PLACES = (
    "summary",
    "tail",
    *RENEWED,
    "loom_page_in",
    "loom_page_in_twice",
)
ROUNDED = 4


class Carried(Struct, frozen=True):
    """One boundary: where each item stands, and the tokens of the summary and of Loom's windows."""

    session: str
    at: int
    held: dict[str, list[tuple[str, bool]]]  # place → (kind, whether it stands there), by item
    tokens: dict[str, int]


def carried(session: Compacted) -> list[Carried]:
    """Every boundary of a session, measured."""
    found = []
    left = list(reversed(session.events))
    count = counter_for()
    with (
        TemporaryDirectory(prefix="loom-carryover-") as folder,
        _opened(Path(folder)) as context,
    ):
        for boundary in session.boundaries:
            while left and left[-1].index < boundary.at:
                event = left.pop()
                if isinstance(event, Reply):
                    context.turn()
                feed(context, event)
            size = count(boundary.summary)
            shown = {
                "summary": [ShownTexts([boundary.summary])],
                "tail": [ShownTexts(tail(session.events, boundary.at, size, count))],
            }
            tokens: dict[str, int] = {}
            for place, history in RENEWED.items():
                with _copied(Path(folder)) as copy:
                    copy.renew(history=history)
                    texts = rendered(copy.turn().messages)
                    tokens[place] = copy.window.tokens.history
                    shown[place] = [ShownTexts(texts)]
                    if history == HISTORY[0]:
                        near = _names(texts)
                        listed = (name for name in near if name.startswith(LISTING))
                        far = _names(_behind(copy, listed)) - near
                        once = [*shown[place], ShownTexts(_behind(copy, near))]
                        twice = [*once, ShownTexts(_behind(copy, far))]
                        shown |= {"loom_page_in": once, "loom_page_in_twice": twice}
            held = {
                place: [
                    (item.kind, any(one.holds(item) for one in shown[place]))
                    for item in boundary.needed
                ]
                for place in PLACES
            }
            found.append(Carried(session.name, boundary.at, held, {**tokens, "summary": size}))
    return found


def _opened(folder: Path) -> Context:
    return loom.open(
        folder / "past",
        window=WINDOW + REPLY,
        reply=REPLY,
        policy=loom.Policy(own_tools=False),
        durable=False,
    )


@contextmanager
def _copied(folder: Path) -> Iterator[Context]:
    """A context of its own on a copy of the workspace, its calls answered."""
    with TemporaryDirectory(dir=folder) as copy:
        shutil.copytree(folder / "past", Path(copy) / "past")
        with _opened(Path(copy)) as context:
            context.abandon()
            yield context


def figures(measured: Iterable[Carried]) -> dict[str, Any]:
    """By kind: how many items, and the share of them that stands in each place, 0 to 1."""
    given = list(measured)
    report: dict[str, Any] = {}
    for kind in KINDS:
        held = {
            place: [hit for one in given for known, hit in one.held[place] if known == kind]
            for place in PLACES
        }
        shares = {of: round(sum(hits) / max(len(hits), 1), ROUNDED) for of, hits in held.items()}
        report[kind] = {"n": len(held[PLACES[0]]), **shares}
    return report


def said(one: Carried) -> str:
    """One boundary in a line: how many items stand in each place."""
    held = (f"{place} {sum(hit for _, hit in one.held[place])}" for place in PLACES)
    items = len(one.held[PLACES[0]])
    return f"{one.session} at {one.at}: of {items} items {', '.join(held)}"
