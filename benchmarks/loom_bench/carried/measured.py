"""What stands in each window after a compaction, and what an agent gets that asks for a name.

A context is replayed once; at each boundary its workspace is copied, and each copy is renewed, so
no renewal sees what another one left.

At every recorded compaction: the paths, identifiers and exact edit texts that the calls of the next
120 messages use and that stood somewhere before it. Each is looked for in the summary the recorder
wrote there, in a tail of as many tokens, and in Loom's window renewed there with 2,700, 8,000 and
16,000 tokens of history. An item is one page-in away when it is resident in the smallest of these
windows, or stands in the text of a page or entry that a rendered line of it names; reading the
listing of a digest is such a page-in, following what the listing names takes two.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct
from rich.table import Table

import loom
from loom.context import Context
from loom.inputs import Event, Reply
from loom.providers.counts import counter_for
from loom.replay.feed import feed
from loom_bench.carried.items import (
    KINDS,
    CarriedItem,
    Compacted,
    ShownTexts,
    rendered,
    spoken,
    tail,
)
from loom_bench.tables import table

NAME = re.compile(r"\b(?:outputs|working)/[\w.-]*\w|\b[a-z]+_\d{4,}\b")
ENTRY = re.compile(r"(?:user|step)_\d{4,}")
LISTING = "outputs/digest_"


def names(texts: Iterable[str]) -> set[str]:
    """Return the words that have the form of a page's or an entry's name."""
    return {name for text in texts for name in NAME.findall(text)}


def texts_of(context: Context, name: str) -> list[str]:
    """Everything behind a name; nothing when it only looked like one."""
    with suppress(loom.LoomError):
        if not ENTRY.fullmatch(name):
            return [context.page_in(name).text]
        entry = context.history.restore(name)
        said = spoken(entry.reply) if entry.reply is not None else []
        return [entry.text, *said, *entry.results.values()]
    return []


def behind(context: Context, named: Iterable[str]) -> Iterator[str]:
    """The texts behind some names, in the order of the names."""
    for name in sorted(named):
        yield from texts_of(context, name)


WINDOW = 200_000  # tokens of the context the sessions are replayed in
REPLY = 8_192
OVER = 1.05  # of the asked tokens, what a renewed history may hold


class RenewedWindow(Struct, frozen=True):
    """A renewed window: tokens its history takes, its texts, and the texts one page-in away.

    `deeper` are those that stand behind a listing the window names: two page-ins.
    """

    tokens: int
    shown: ShownTexts
    near: ShownTexts
    deeper: ShownTexts

    def holds(self, item: CarriedItem) -> bool:
        """True when the item is resident."""
        return self.shown.holds(item)

    def reaches(self, item: CarriedItem) -> bool:
        """True when the item is resident, or stands on a page or entry a rendered line names."""
        return self.holds(item) or self.near.holds(item)

    def lists(self, item: CarriedItem) -> bool:
        """… or on a page or entry that a listing names which the window names."""
        return self.reaches(item) or self.deeper.holds(item)


class Past:
    """A session replayed up to one boundary after another."""

    def __init__(self, folder: Path, events: Sequence[Event]) -> None:
        self._folder = folder
        self._left = list(reversed(events))
        self._context = loom.open(
            folder / "past",
            window=WINDOW + REPLY,
            reply=REPLY,
            policy=loom.Policy(own_tools=False),
            durable=False,
        )
        self._copies = 0

    def until(self, at: int) -> None:
        """Feed every event before message `at`."""
        while self._left and self._left[-1].index < at:
            event = self._left.pop()
            if isinstance(event, Reply):
                self._context.turn()
            feed(self._context, event)

    def renewed(self, history: int, *, look: bool = False) -> RenewedWindow:
        """A copy renewed to at most `history` tokens; `look` also reads the pages it names."""
        with self._copy() as context:
            context.renew(history=history)
            return _window(context, look=look)

    def close(self) -> None:
        """Close the replayed context."""
        self._context.close()

    @contextmanager
    def _copy(self) -> Iterator[Context]:
        """A context of its own on a copy of the workspace, its calls answered."""
        self._copies += 1
        folder = self._folder / f"copy-{self._copies}"
        shutil.copytree(self._folder / "past", folder)
        try:
            with loom.open(folder, policy=loom.Policy(own_tools=False), durable=False) as context:
                context.abandon()
                yield context
        finally:
            shutil.rmtree(folder)


@contextmanager
def past(events: Sequence[Event]) -> Iterator[Past]:
    """The replay of a session in a folder that is gone afterwards."""
    with TemporaryDirectory(prefix="loom-carryover-") as folder:
        made = Past(Path(folder), events)
        try:
            yield made
        finally:
            made.close()


def _window(context: Context, *, look: bool) -> RenewedWindow:
    texts = rendered(context.turn().messages)
    tokens = context.window.tokens.history
    if not look:
        return RenewedWindow(tokens, ShownTexts(texts), ShownTexts(), ShownTexts())
    near = names(texts)
    listed = behind(context, (name for name in near if name.startswith(LISTING)))
    far = names(listed) - near
    return RenewedWindow(
        tokens,
        ShownTexts(texts),
        ShownTexts(behind(context, near)),
        ShownTexts(behind(context, far)),
    )


HISTORY = (2_700, 8_000, 16_000)  # tokens of a renewed history; the first also tells its names
PLACES = (
    "summary",
    "tail",
    *(f"loom_{tokens}" for tokens in HISTORY),
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


def carried(session: Compacted, windows: Sequence[int] = HISTORY) -> list[Carried]:
    """Every boundary of a session, measured."""
    found = []
    with past(session.events) as replay:
        for boundary in session.boundaries:
            count = counter_for()
            size = count(boundary.summary)
            replay.until(boundary.at)
            renewed = [replay.renewed(history, look=not at) for at, history in enumerate(windows)]
            holders = [
                ShownTexts([boundary.summary]).holds,
                ShownTexts(tail(session.events, boundary.at, size, count)).holds,
                *(window.holds for window in renewed),
                renewed[0].reaches,
                renewed[0].lists,
            ]
            held = {
                place: [(item.kind, holds(item)) for item in boundary.needed]
                for place, holds in zip(PLACES, holders, strict=True)
            }
            sizes = (window.tokens for window in renewed)
            tokens = dict(zip(PLACES[2:5], sizes, strict=True), summary=size)
            found.append(Carried(session.name, boundary.at, held, tokens))
    return found


def figures(measured: Iterable[Carried]) -> dict[str, Any]:
    """By kind: how many items, and the share of them that stands in each place, 0 to 1."""
    given = list(measured)
    report: dict[str, Any] = {}
    for kind in KINDS:
        shares: dict[str, float] = {}
        count = 0
        for place in PLACES:
            hits = [hit for one in given for known, hit in one.held[place] if known == kind]
            count = len(hits)
            shares[place] = round(sum(hits) / count, ROUNDED) if count else 0.0
        report[kind] = {"n": count, **shares}
    return report


def carryover_table(report: dict[str, Any], measured: Sequence[Carried]) -> Table:
    """The shares, a row for each place, with the mean tokens it takes."""
    rows = []
    for place in PLACES:
        sizes = [one.tokens[place] for one in measured if place in one.tokens]
        size = f"{sum(sizes) / len(sizes):,.0f}" if sizes else ""
        rows.append([place, size, *(f"{report[kind][place]:.1%}" for kind in KINDS)])
    heads = ["", "tokens", *(f"{kind} ({report[kind]['n']})" for kind in KINDS)]
    return table(f"Carryover at {len(measured)} compactions", heads, rows)


def said(one: Carried) -> str:
    """One boundary in a line: how many items stand in each place."""
    held = (f"{place} {sum(hit for _, hit in one.held[place])}" for place in PLACES)
    wide = [
        f"{place} took {one.tokens[place]:,}"
        for place, asked in zip(PLACES[2:5], HISTORY, strict=True)
        if one.tokens[place] > asked * OVER
    ]
    items = len(one.held[PLACES[0]])
    return f"{one.session} at {one.at}: of {items} items {', '.join((*held, *wide))}"
