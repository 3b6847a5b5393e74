"""The prices that a replay uses: Loom's own list, a user's file, or one price for all models."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from loom.disk import plain_descriptor
from loom.errors import BadInput
from loom.providers.prices import GivenPrices, Prices, user_prices_of

FORM = "give IN,READ,WRITE,OUT: four amounts in dollars for a million tokens, as in 3,0.3,3.75,15"
FILE = '{"MODEL": {"input": 3, "read": 0.3, "write": 3.75, "output": 15}}'
MOST = 1_000_000  # dollars for a million tokens
LARGEST = 1_000_000  # bytes of a file of prices


def prices_by_model(price: str | None, file: Path | None) -> Callable[[str], Prices]:
    """Return a function from a model's name to its prices. `price` is the value of `--price`,
    `file` the value of `--prices`. Raises BadInput."""
    if price is not None and file is not None:
        raise BadInput("--price and --prices: give one of them")
    if price is None:
        return partial(user_prices_of, given=_read_price_file(file) if file is not None else {})
    try:
        plain, read, write, output = amounts = [float(part) for part in price.split(",")]
        if not all(0 <= one <= MOST for one in amounts):
            raise ValueError
    except ValueError:
        raise BadInput(f"--price {price}: {FORM}") from None
    given = Prices(input=plain, read=read, write=write, output=output, model="--price", as_of="")
    return lambda model: given


def _read_price_file(file: Path) -> dict[str, GivenPrices]:
    """Return a dict from the beginning of a model name to its prices, read from JSON. Raises
    BadInput."""
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
