"""What replays cost: the prices of the list, a user's own, or one for all models, and the trials
priced by them as the rows that `--json` prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, to_builtins

from loom.cli.exits import BadUsage
from loom.cli.trial import ReplayTrial
from loom.disk import plain_descriptor
from loom.providers.prices import MILLION, GivenPrices, Prices, own_prices
from loom.replay.cost import Bill, CompactionTally

FORM = "give IN,READ,WRITE,OUT: four amounts in dollars for a million tokens, as in 3,0.3,3.75,15"
FILE = '{"MODEL": {"input": 3, "read": 0.3, "write": 3.75, "output": 15}}'
MOST = 1_000_000  # dollars for a million tokens
LARGEST = 1_000_000  # bytes of a file of prices


class Pricing(Struct, frozen=True):
    """Which prices a model has: `all` models the same where that is not None, else by rows."""

    all: Prices | None = None
    rows: dict[str, GivenPrices] = {}

    def of(self, model: str) -> Prices:
        """The prices of a model."""
        return self.all if self.all is not None else own_prices(model, self.rows)


def pricing(price: str | None, file: Path | None) -> Pricing:
    """Read the options `--price` and `--prices`; BadUsage for what cannot be read as prices."""
    if price is not None and file is not None:
        raise BadUsage("--price and --prices: give one of them")
    if price is not None:
        return Pricing(all=_given(price))
    return Pricing(rows=_rows(file)) if file is not None else Pricing()


def _given(price: str) -> Prices:
    try:
        plain, read, write, output = (float(part) for part in price.split(","))
    except ValueError:
        raise BadUsage(f"--price {price}: {FORM}") from None
    if not all(0 <= one <= MOST for one in (plain, read, write, output)):
        raise BadUsage(f"--price {price}: {FORM}")
    return Prices(input=plain, read=read, write=write, output=output, model="--price", as_of="")


def _rows(file: Path) -> dict[str, GivenPrices]:
    with os.fdopen(plain_descriptor(file), "rb") as held:
        data = held.read(LARGEST + 1)
    try:
        rows = msgspec.json.decode(data[:LARGEST], type=dict[str, GivenPrices])
    except msgspec.MsgspecError as error:
        raise BadUsage(f"--prices {file}: {error}; expected is {FILE}") from None
    for name, row in rows.items():
        amounts = (row.input, row.output, row.read or 0.0, row.write or 0.0)
        if not name or not all(0 <= one <= MOST for one in amounts):
            raise BadUsage(f"--prices {file}: {name!r}: amounts run from 0 to {MOST:,}; {FILE}")
    return rows


Row = dict[str, Any]  # a trial or the total, as `--json` prints it
CENTS = 6  # decimals of an amount in dollars
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


class PricedTrial(Struct, frozen=True):
    """A trial, the prices of its model, and all of it as a row."""

    trial: ReplayTrial
    prices: Prices
    row: Row


def priced(trial: ReplayTrial, pricing: Pricing) -> PricedTrial:
    """Price a trial, and put its figures into a row."""
    prices = pricing.of(trial.model)
    plain = trial.plain
    row = to_builtins(trial)
    for name in ("bill", "plain", "compactions"):
        del row[name]
    row |= {
        "lawful": trial.lawful,
        "sent": trial.bill.sent,
        "prices": to_builtins(prices),
        "loom": _billed(trial.bill, prices),
        "plain": {
            **_billed(plain.bill, prices),
            "overflow_turn": plain.overflow or None,
            "overflow_sent": plain.lawful.sent,
            "overflow_cost": _cents(plain.lawful.cost(prices)),
        },
        "output": {
            "tokens": trial.replied,
            "cost": _cents(prices.output * trial.replied / MILLION),
        },
        "compactions": _compacted(trial.compactions, prices),
    }
    return PricedTrial(trial, prices, row)


def _billed(bill: Bill, prices: Prices) -> Row:
    return {
        "requests": bill.calls,
        "sent": bill.sent,
        "read": bill.reused,
        "written": bill.written,
        "peak": bill.peak,
        "cost": _cents(bill.cost(prices)),
    }


def _compacted(tally: CompactionTally, prices: Prices) -> Row:
    return {**to_builtins(tally), "cost": _cents(tally.cost(prices))}


def _cents(amount: float) -> float:
    return round(amount, CENTS)


def total(all: Sequence[PricedTrial]) -> Row:
    """The totals row: sums, the highest peak, and reuse weighted by what was sent.

    Costs and what was sent are of the sessions that ran to their end: what Loom sent of another
    cannot be held against the whole of it without Loom.
    """
    trials = [one.trial for one in all]
    whole = [one.row for one in all if not one.trial.error]
    stopped = len(all) - len(whole)
    turns = [turn for row in whole if (turn := row["plain"]["overflow_turn"])]
    sent = sum(one.bill.sent for one in trials) or 1
    made: Row = {
        "sessions": len(trials),
        **{name: sum(getattr(one, name) for one in trials) for name in SUMMED},
        "peak": max((one.peak for one in trials), default=0.0),
        "levels": _added(one.levels for one in trials),
        "reusable": round(sum(one.reusable * one.bill.sent for one in trials) / sent, 4),
        "broken": _added(one.broken for one in trials),
        "error": f"{stopped} stopped" if stopped else "",
        "seconds": round(sum(one.seconds for one in trials), 2),
        **{
            member: {name: _sum(row[member][name] for row in whole) for name in names}
            for member, names in ADDED.items()
        },
    }
    for member in ("loom", "plain"):
        made[member]["peak"] = max((row[member]["peak"] for row in whole), default=0)
    made["sent"] = made["loom"]["sent"]
    made["plain"] |= {"overflowed": len(turns), "overflow_turn": min(turns, default=None)}
    return made


def _sum(values: Iterable[float]) -> float:
    return round(sum(values), CENTS)


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    added: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            added[name] = added.get(name, 0) + count
    return dict(sorted(added.items()))
