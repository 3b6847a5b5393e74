"""Numbers of tokens as a host gives them."""

from __future__ import annotations

from operator import index
from typing import TypeVar

from loom.errors import LoomError
from loom.text import shown

WIDEST = 63  # bits
WINDOW = "window"
Given = TypeVar("Given", int, int | None)


def token_number(name: str, value: Given) -> Given:
    """Return a whole number of tokens, or None for None; raises LoomError for anything else, and
    for a window of none."""
    if value is None:
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        if (number := index(value)).bit_length() > WIDEST:
            raise TypeError
        if name == WINDOW and number < 1:
            raise TypeError
        return number
    except TypeError:
        raise LoomError(
            f"{name}={shown(value, 80)}: give a whole number of tokens, as {name}=8192"
        ) from None
