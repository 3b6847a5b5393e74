"""What `loom replay` says: a verdict in two lines, a table that fits, what stands beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from loom.cli.columns import NAMES, RankedColumn, RankedRow, middle, print_table, width_for
from loom.cli.exits import text_of
from loom.cli.pricing import PricedTrial, Row
from loom.cli.show import console, dollars, line, lines
from loom.cli.styled import columns_of, spark
from loom.reduce.lines import counted
from loom.replay.importers import BadSession
from loom.text import visible

PLOTS_MAX = 3  # more sessions than these are told by the table alone
SKIPPED_MAX = 10
MENDED_MAX = 3
PLOTTED = "ρ, how full each request was, 1.00 is full"


def report(
    told: Sequence[PricedTrial],
    total: Row,
    window: int,
    skipped: Sequence[BadSession],
    out: Path | None,
) -> None:
    """Print the verdict, the table, plots of a few sessions, notes, and what was skipped."""
    width = width_for(console())
    for text in verdict(total, window, width):
        line(text)
    line()
    print_table("session", COLUMNS, [*_rows(told, total)], width)
    line()
    for one in told if len(told) <= PLOTS_MAX else ():
        name = middle(one.trial.name, max(width - len(PLOTTED), NAMES))
        _wrapped(f"{name}: {PLOTTED}", width)
        line(spark(one.trial.rho, 1.0, min(len(one.trial.rho), width)))
        line()
    for one in told:
        for detail in (*one.trial.details, one.trial.error):
            if detail:
                _wrapped(f"{one.trial.name}: {detail}", width)
    for text in (*_changed(told, total), *priced_as(told)):
        _wrapped(text, width)
    if out is not None:
        line(f"workspaces kept in {out}")
    lines(skips(skipped))


def _changed(told: Sequence[PricedTrial], total: Row) -> Iterator[str]:
    """What of the texts is not as it was recorded: secrets replaced, and what had to be mended."""
    if total["secrets"]:
        yield (
            f"{counted(total['secrets'], 'secret')} replaced by [redacted:…] before anything was"
            " stored or sent; so they are counted, and came back, on both sides"
        )
    for trial in (one.trial for one in told):
        yield from (f"{trial.name}: {text}" for text in trial.lost)
    mended = [one.trial for one in told if one.trial.mended]
    for trial in mended[:MENDED_MAX]:
        more = f" (and {trial.mended - 1:,} more)" if trial.mended > 1 else ""
        yield f"{trial.name}: mended as it was read: {trial.notes[0]}{more}"
    if len(mended) > MENDED_MAX:
        yield f"… and {len(mended) - MENDED_MAX:,} more sessions were mended (--json has all)"


def verdict(total: Row, window: int, width: int) -> list[str]:
    """Two lines in words, each the fullest wording that fits the width; wrapped where none does."""
    made = []
    for wordings in (_kept(total), _without(total, window)):
        fitting = [text for text in wordings if columns_of(text) <= width]
        made += fitting[:1] or textwrap.wrap(wordings[-1], max(width, 1))
    return made


def _kept(total: Row) -> list[str]:
    sessions, requests = counted(total["sessions"], "session"), counted(total["steps"], "request")
    back, texts = total["restored"], total["texts"]
    broken = sum(total["broken"].values())
    law = f"{counted(broken, 'law')} broken" if broken else "every law kept"
    law += f", {total['error']}" if total["error"] else ""
    which = f"all {texts:,}" if back == texts else f"{back:,} of {texts:,}"
    told = f"{sessions}, {requests}: {law}, {which} texts came back"
    return [f"{told} byte for byte.", f"{told}."]


def _without(total: Row, window: int) -> list[str]:
    plain, ours = total["plain"], dollars(total["loom"]["cost"])
    over, turn, cost = plain["overflowed"], plain["overflow_turn"], dollars(plain["cost"])
    if not plain["requests"]:
        return ["No request was made, or no session ran to its end: no cost is told."]
    if not over:
        fits = f"Without Loom all would have fitted {window:,} tokens"
        return [
            f"{fits}; input cost {cost} plain, {ours} with Loom.",
            f"Without Loom all fit too; input {cost} plain, {ours} with Loom.",
        ]
    one = total["sessions"] == 1
    of = "it" if one else f"{over} of them"
    at = f"from turn {turn} on" if one else f"the first at turn {turn}"
    brief = f"it overflows at turn {turn}" if one else f"{over} overflow, first at turn {turn}"
    return [
        f"Without Loom {of} would not have fitted {window:,} tokens, {at};"
        f" input cost {cost} plain in an endless window, {ours} with Loom.",
        f"Without Loom {brief}; {ours} with it, endless {cost}.",
    ]


# Columns in their order: the name, the rank (the higher, the earlier it gives way), then where in a
# row the figure with Loom stands, without it, and of its client's own compactions; and its format.
LEVELS = ("step", "snip", "micro", "collapse", "auto")
TABLE: tuple[tuple[str, int, list[str]], ...] = (
    ("requests", 5, ["loom.requests ,", "plain.requests ,", "compactions.count ,"]),
    ("tokens sent", 4, ["loom.sent ,", "plain.sent ,", "compactions.read ,"]),
    ("input cost", 0, ["loom.cost $", "plain.cost $", "compactions.cost $"]),
    ("full at", 1, ["none ", "full "]),
    ("until full", 2, ["none ", "plain.overflow_cost $"]),
    ("fullest", 7, ["peak .0%"]),
    ("reused", 8, ["reusable .1%", "same .1%"]),
    ("came back", 6, ["back "]),
    ("laws", 3, ["kept "]),
    ("pages", 9, ["pages ,"]),
    ("cuts", 10, ["cuts ,"]),
    ("renewals", 11, ["renewals ,"]),
    *((level, 12 + at, [f"levels.{level} "]) for at, level in enumerate(LEVELS)),
    ("ingested", 20, ["ingested ,"]),
)
COLUMNS = tuple(RankedColumn(name, rank, name) for name, rank, _ in TABLE)


def _rows(told: Sequence[PricedTrial], total: Row) -> Iterator[RankedRow]:
    """For each session, and for all when there are several: Loom, without it, compactions."""
    named = [(_name(one, told), one.row) for one in told]
    for name, row in [*named, *([("total", total)] if len(named) > 1 else [])]:
        whose = (name, "  without Loom", "  its compactions")
        row = {**row, **_derived(row)}
        for at, label in enumerate(whose if row["compactions"]["count"] else whose[:2]):
            texts = {column: _cell(row, cells[at]) for column, _, cells in TABLE if len(cells) > at}
            yield RankedRow(label, texts, dim=at > 0)


def _derived(row: Row) -> Row:
    """What the table tells beside the figures of a row."""
    plain, broken = row["plain"], sum(row["broken"].values())
    return {
        "none": "-",
        "full": f"turn {plain['overflow_turn']}" if plain["overflow_turn"] else "never",
        "same": plain["read"] / max(plain["sent"], 1),
        "back": f"{row['restored']:,}/{row['texts']:,}",
        "kept": f"{broken} broken" if broken else "stopped" if row["error"] else "kept",
    }


def _cell(row: Row, cell: str) -> str:
    path, _, form = cell.partition(" ")
    value: Any = row
    for name in path.split("."):
        value = value.get(name, 0)
    return dollars(value) if form == "$" else format(value, form)


def _name(one: PricedTrial, told: Sequence[PricedTrial]) -> str:
    """The name of a session, with its folder where another is called the same."""
    same = sum(other.trial.name == one.trial.name for other in told) > 1
    return f"{Path(one.trial.source).parent.name}/{one.trial.name}" if same else one.trial.name


def priced_as(told: Sequence[PricedTrial]) -> Iterator[str]:
    """The prices each model was told by, and which models have none of their own."""
    rows = {one.prices.model: one.prices for one in told}
    for name, prices in sorted(rows.items()):
        models = sorted({one.trial.model or "not named" for one in told if one.prices == prices})
        dated = f" as of {prices.as_of}" if prices.as_of else ""
        whose = name if prices.known else f"models without a price of their own ({_few(models)})"
        yield (
            f"priced{dated}, dollars for a million tokens, {whose}: input {prices.input:g},"
            f" cached {prices.read:g}, written to the cache {prices.write:g},"
            f" output {prices.output:g}"
        )


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:3], *([f"{len(names) - 3} more"] if len(names) > 3 else [])])


def skips(skipped: Sequence[BadSession]) -> Iterator[str]:
    """A line for each file that was skipped: where, and why, whole."""
    for error in skipped[:SKIPPED_MAX]:
        place = f"{error.path}:{error.line}" if error.line else f"{error.path}"
        why = text_of(error).removeprefix(visible(place)).removeprefix(": ")
        yield visible(f"skipped {place}: {why}")
    if len(skipped) > SKIPPED_MAX:
        yield f"… and {len(skipped) - SKIPPED_MAX:,} more (--json lists all)"


def _wrapped(text: str, width: int) -> None:
    lines(textwrap.wrap(visible(text), max(width, 20), subsequent_indent="  "))
