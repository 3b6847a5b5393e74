"""The prices a replay is told by: the list's, a user's own, or one for all models."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from loom.cli.exits import BadUsage
from loom.disk import plain_descriptor
from loom.providers.prices import GivenPrices, Prices, own_prices

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


def dollars(amount: float) -> str:
    """An amount for people: `$1,240`, `$12.90`, `$0.31`, `$0.0042`."""
    if amount >= 1_000:
        return f"${amount:,.0f}"
    return f"${amount:.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"
