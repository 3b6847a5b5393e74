"""What replays cost: the prices of the list, a user's own, or one for all models, and the trials
priced by them as the rows that `--json` prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import to_builtins

from loom.cli.trial import ReplayTrial
from loom.disk import plain_descriptor
from loom.errors import BadInput
from loom.providers.prices import MILLION, GivenPrices, Prices, own_prices
from loom.replay.cost import Bill
from loom.report.lost import lost_page
from loom.rewrite.purge_report import summed

FORM = "give IN,READ,WRITE,OUT: four amounts in dollars for a million tokens, as in 3,0.3,3.75,15"
FILE = '{"MODEL": {"input": 3, "read": 0.3, "write": 3.75, "output": 15}}'
MOST = 1_000_000  # dollars for a million tokens
LARGEST = 1_000_000  # bytes of a file of prices
Row = dict[str, Any]  # a trial or the total, as `--json` prints it
CENTS = 6  # decimals of an amount in dollars


def pricing(price: str | None, file: Path | None) -> Callable[[str], Prices]:
    """The prices of a model, by the options `--price` and `--prices`; BadInput for what cannot be
    read as prices."""
    if price is not None and file is not None:
        raise BadInput("--price and --prices: give one of them")
    # For workers, too: what a lambda has cannot be sent to one.
    if price is not None:
        return partial(_same, _given(price))
    return partial(own_prices, given=_rows(file) if file is not None else {})


def _same(one: Prices, model: str) -> Prices:
    return one


def _given(price: str) -> Prices:
    try:
        plain, read, write, output = amounts = [float(part) for part in price.split(",")]
        if not all(0 <= one <= MOST for one in amounts):
            raise ValueError
    except ValueError:
        raise BadInput(f"--price {price}: {FORM}") from None
    return Prices(input=plain, read=read, write=write, output=output, model="--price", as_of="")


def _rows(file: Path) -> dict[str, GivenPrices]:
    with os.fdopen(plain_descriptor(file), "rb") as held:
        data = held.read(LARGEST + 1)
    try:
        rows = msgspec.json.decode(data[:LARGEST], type=dict[str, GivenPrices])
    except msgspec.MsgspecError as error:
        raise BadInput(f"--prices {file}: {error}; expected is {FILE}") from None
    for name, row in rows.items():
        amounts = (row.input, row.output, row.read or 0.0, row.write or 0.0)
        if not name or not all(0 <= one <= MOST for one in amounts):
            raise BadInput(f"--prices {file}: {name!r}: amounts run from 0 to {MOST:,}; {FILE}")
    return rows


def priced(trial: ReplayTrial, prices: Prices) -> Row:
    """The figures of a trial, with what they cost."""
    plain, output = trial.plain, prices.output * trial.replied / MILLION
    row: Row = to_builtins(trial)
    del row["bill"], row["losses"]
    shown = lost_page([trial.losses]) if trial.losses else None
    compacted = round(trial.compactions.cost(prices), CENTS)
    return row | {
        "lawful": trial.lawful,
        "sent": trial.bill.sent,
        "prices": to_builtins(prices),
        "loom": _billed(trial.bill, prices),
        "plain": _billed(plain.bill, prices)
        | {
            "overflow_turn": plain.overflow or None,
            "overflow_sent": plain.lawful.sent,
            "overflow_cost": round(plain.lawful.cost(prices), CENTS),
        },
        "output": {"tokens": trial.replied, "cost": round(output, CENTS)},
        "compactions": row["compactions"] | {"cost": compacted},
        "losses": to_builtins(shown.sessions[0]) if shown else None,
    }


def _billed(bill: Bill, prices: Prices) -> Row:
    return {
        "requests": bill.calls,
        "sent": bill.sent,
        "read": bill.reused,
        "written": bill.written,
        "peak": bill.peak,
        "cost": round(bill.cost(prices), CENTS),
    }


SUMMED = (
    "turns", "steps", "cuts", "renewals", "ingested", "replied", "pages", "page_bytes", "texts",
    "restored", "mended", "secrets",
)  # fmt: skip
# Member → what it takes of the rows of sessions that ran to their end, for the total.
ADDED = {
    "loom": ("requests", "sent", "read", "written", "cost"),
    "plain": ("requests", "sent", "read", "written", "cost", "overflow_sent", "overflow_cost"),
    "output": ("tokens", "cost"),
    "compactions": ("count", "read", "wrote", "rewritten", "cost"),
}


def total(rows: Sequence[Row]) -> Row:
    """The totals row: sums, the highest peak, and reuse weighted by what was sent.

    Costs and what was sent are of the sessions that ran to their end: what Loom sent of another
    cannot be held against the whole of it without Loom.
    """
    whole = [row for row in rows if not row["error"]]
    stopped, sent = len(rows) - len(whole), sum(row["sent"] for row in rows) or 1
    turns = [turn for row in whole if (turn := row["plain"]["overflow_turn"])]
    made: Row = {
        "sessions": len(rows),
        **{name: sum(row[name] for row in rows) for name in SUMMED},
        "peak": max((row["peak"] for row in rows), default=0.0),
        "levels": summed(row["levels"] for row in rows),
        "reusable": round(sum(row["reusable"] * row["sent"] for row in rows) / sent, 4),
        "broken": summed(row["broken"] for row in rows),
        "error": f"{stopped} stopped" if stopped else "",
        "seconds": round(sum(row["seconds"] for row in rows), 2),
    }
    for member, names in ADDED.items():
        made[member] = {n: round(sum(row[member][n] for row in whole), CENTS) for n in names}
    for member in ("loom", "plain"):
        made[member]["peak"] = max((row[member]["peak"] for row in whole), default=0)
    made["losses"] = [row["losses"] for row in rows if row["losses"]]
    made["sent"] = made["loom"]["sent"]
    made["plain"] |= {"overflowed": len(turns), "overflow_turn": min(turns, default=None)}
    return made
