"""Gemini's own JSON, read as its Python library has it: snake_case names, base64 as bytes."""

from __future__ import annotations

from base64 import b64decode
from functools import lru_cache
from typing import Any

from loom.lazy import lazy_re
from loom.providers.formats.wire import Wire

# What lies under these names is the host's and the model's: it keeps its names and its nulls.
FOREIGN = frozenset({"args", "response", "part_metadata"})

_HUMP = lazy_re(r"(?<=[a-z0-9])([A-Z])")
_STANDARD = str.maketrans("-_", "+/")


def snake(value: object) -> Any:
    """Return dicts with their names in snake_case; objects as they are."""
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    named: Wire = {_name(str(name)): item for name, item in value.items()}
    return {name: item if name in FOREIGN else snake(item) for name, item in named.items()}


@lru_cache(maxsize=256)
def _name(name: str) -> str:
    return _HUMP.sub(lambda hump: f"_{hump[1].lower()}", name)


def decoded(text: str) -> bytes | None:
    """Read base64, in either alphabet and with its padding or without; None when it is none."""
    try:
        return b64decode(
            text.rstrip("=").translate(_STANDARD) + "=" * (-len(text.rstrip("=")) % 4),
            validate=True,
        )
    except ValueError:
        return None
