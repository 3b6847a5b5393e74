"""JSON read leniently: what a decoder takes, and what is JSON all the same.

msgspec reads well-formed JSON fastest. The standard decoder takes what it does not (lone
surrogates, numbers beyond a double, NaN, which becomes a string). What is nested deeper than either
goes is pruned first: containers beyond `DEEPEST` become a string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from loom.lazy import lazy_re

DEEPEST = 64  # levels read of a text that is nested too deeply to be read whole
DIGITS = 4000  # digits of an integer; Python refuses to write more than 4,300
BOM = "\ufeff"
TOO_DEEP = "… nested deeper"

_TOKEN = lazy_re(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|\[+|\]+|\{+|\}+|"', re.DOTALL)
_OUTSIDE = lazy_re(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|\s++')
_INSIDE = lazy_re(r"\s*+[\[{\"]")


def decode(text: str) -> tuple[bool, Any]:
    """True when `text` is a JSON object, array or string, and its value. Never raises."""
    start = 1 if text.startswith(BOM) else 0
    if not _INSIDE.match(text, start):
        return False, None
    text = text[start:]
    try:
        return True, msgspec.json.decode(text)
    except (ValueError, RecursionError):  # UnicodeEncodeError and msgspec's errors are ValueErrors
        return _standard(text)


def minified(text: str) -> str:
    """JSON without the blanks between its tokens; every number and key as it was written."""
    return _OUTSIDE.sub(r"\1", text.removeprefix(BOM))


def _standard(text: str) -> tuple[bool, Any]:
    """`text` by the standard decoder, pruned when it is nested too deeply."""
    for prepare in (str, _pruned):
        try:
            prepared = prepare(text)
            return True, json.loads(prepared, parse_int=_integer, parse_constant=str)
        except RecursionError:
            continue
        except ValueError:
            break
    return False, None


def _integer(digits: str) -> int | str:
    """An integer; a string when Python would refuse to write it."""
    return int(digits) if len(digits) <= DIGITS else digits


def _pruned(text: str) -> str:
    """`text` with every container at depth `DEEPEST` written as a string.

    Raises ValueError for brackets or quotes that do not match.
    """
    return "".join(_kept(text))


def _kept(text: str) -> Iterator[str]:
    """The stretches of `text` above `DEEPEST`, and a string for each below."""
    open_: list[str] = []  # the closing brackets awaited above DEEPEST
    depth = start = 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        kind = token[0]
        if kind == '"':
            if len(token) == 1:
                raise ValueError("a string without an end")
        elif kind in "[{":
            room = max(0, DEEPEST - 1 - depth)
            open_ += ["]" if kind == "[" else "}"] * min(room, len(token))
            if depth < DEEPEST <= depth + len(token):
                yield text[start : found.start() + room] + f'"{TOO_DEEP}"'
            depth += len(token)
        else:
            deep = min(len(token), max(0, depth - DEEPEST + 1))
            if depth >= DEEPEST > depth - len(token):
                start = found.start() + deep
            for _ in range(len(token) - deep):
                if not open_ or open_.pop() != kind:
                    raise ValueError("brackets do not match")
            depth -= len(token)
    if depth:
        raise ValueError("brackets without an end")
    yield text[start:]
