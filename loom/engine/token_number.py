"""Numbers of tokens as a host gives them."""

from __future__ import annotations

from operator import index
from typing import TypeVar

from loom.errors import LoomError, OverCapacity
from loom.text import shown

WIDEST = 63  # bits
SIZES = frozenset({"window", "reply"})  # of none nothing can be made
Given = TypeVar("Given", int, int | None)


def token_number(name: str, value: Given) -> Given:
    """Return a whole number of tokens, or None for None; raises LoomError for anything else, and
    OverCapacity for a window or a reply of none."""
    if value is None:
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        if (number := index(value)).bit_length() > WIDEST:
            raise TypeError
    except TypeError:
        raise LoomError(_said(name, shown(value, 80))) from None
    if name in SIZES and number < 1:
        raise OverCapacity("working", 1, number, said=_said(name, f"{number}"))
    return number


def _said(name: str, value: str) -> str:
    least = " above 0" if name in SIZES else ""
    return f"{name}={value}: give a whole number of tokens{least}, as {name}=8192"
