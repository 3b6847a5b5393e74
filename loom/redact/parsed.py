"""JSON read and written for the redactor, with lone surrogates and whatever depth it has."""

from __future__ import annotations

import json as standard
from collections.abc import Iterator
from typing import Any

from msgspec import MsgspecError, json


def parsed(text: str) -> Any:
    """The value of a JSON text; Ellipsis, which no JSON is, when it is not JSON."""
    try:
        return json.decode(text)
    except UnicodeEncodeError:  # a lone surrogate, as it is
        try:
            return standard.loads(text)
        except (ValueError, RecursionError):
            return ...
    except (MsgspecError, RecursionError):
        return ...


def spelled_out(value: Any) -> str:
    """A value as JSON. RecursionError for one too deep."""
    try:
        return json.encode(value).decode()
    except UnicodeEncodeError:
        return standard.dumps(value, ensure_ascii=False)


def is_like(value: Any, other: Any) -> bool:
    """True for two JSON values of the same structure, whatever their texts and keys are."""
    if isinstance(value, dict) and isinstance(other, dict):
        pairs = zip(value.values(), other.values(), strict=False)
        return len(value) == len(other) and all(is_like(*pair) for pair in pairs)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(is_like, value, other))
    return (isinstance(value, str) and isinstance(other, str)) or value == other


def texts_of(text: str) -> Iterator[str]:
    """The text, and where it is JSON each text and key in it."""
    yield text
    waiting = [parsed(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
