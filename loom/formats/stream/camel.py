"""Gemini's own JSON, read as its Python library has it: snake_case names, signatures as bytes."""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode
from functools import lru_cache
from typing import Any

from loom.formats.wire import Wire

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")

# What lies under these names is the host's and keeps its names.
_FOREIGN = frozenset({"args", "response", "part_metadata"})
_SIGNATURE = "thought_signature"


def snake(value: object) -> Any:
    """Return dicts with their names in snake_case and signatures as bytes; objects as they are."""
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    named: Wire = {_name(str(name)): item for name, item in value.items()}
    return {
        name: _bytes(item) if name == _SIGNATURE else item if name in _FOREIGN else snake(item)
        for name, item in named.items()
    }


@lru_cache(maxsize=256)
def _name(name: str) -> str:
    return _HUMP.sub(lambda hump: f"_{hump[1].lower()}", name)


def _bytes(signature: object) -> object:
    """Decode base64 in either alphabet; what is none stays as it came."""
    if not isinstance(signature, str):
        return signature
    text = signature.rstrip("=")
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return signature
