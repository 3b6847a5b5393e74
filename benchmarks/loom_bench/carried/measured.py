"""Carryover measured: what stands in a window after a compaction, of what the calls after it need.

At every recorded compaction: the paths, identifiers and exact edit texts that the calls of the next
120 messages use and that stood somewhere before it. Each is looked for in the summary the recorder
wrote there, in a tail of as many tokens, and in Loom's window renewed there with 2,700, 8,000 and
16,000 tokens of history. An item is one page-in away when it is resident in the smallest of these
windows, or stands in the text of a page or entry that a rendered line of it names; reading the
listing of a digest is such a page-in, following what the listing names takes two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from rich.table import Table

from loom.providers.counts import counter_for
from loom_bench.carried.boundaries import Compacted, tail
from loom_bench.carried.items import KINDS, ShownTexts
from loom_bench.carried.windows import OVER, past
from loom_bench.tables import table

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
