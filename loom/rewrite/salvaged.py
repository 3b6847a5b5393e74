"""A log on an object store of which objects are damaged: all of it that can be read."""

from __future__ import annotations

from collections.abc import Callable

from loom_paging import CorruptPage, MissingPage, OutsideStore, Store
from loom_paging.remote.errors import BadBatch

# Errors that are of one name alone. All others, as of a store that does not answer, are raised.
DAMAGE = (CorruptPage, MissingPage, BadBatch, OutsideStore)
CHUNK = 1 << 16  # bytes read at once


def salvaged(store: Store, name: str) -> bytes:
    """The bytes of a log, as many as it has; zeros and a line end in the place of those that lie in
    a damaged object, so that a line which lost bytes is one that does not verify.

    Each object is one run of the log, so its end is found by halving: some forty reads an object.
    """
    size, at = store.size(name), 0
    parts: list[bytes] = []
    while at < size:
        length = min(CHUNK, size - at)
        if sound := _sound(store, name, at, length):
            parts.append(store.read(name, at, sound))
        at += sound
        if sound < length:
            gap = _gap(store, name, at, size)
            parts.append(b"\0" * (gap - 1) + b"\n")
            at += gap
    return b"".join(parts)


def _sound(store: Store, name: str, at: int, length: int) -> int:
    """How many of so many bytes from an offset on can be read until one cannot."""

    def fails(length: int) -> bool:
        return bool(_failure(store, name, at, length))

    return _first(1, length, fails) - 1 if fails(length) else length


def _gap(store: Store, name: str, at: int, size: int) -> int:
    """How many bytes from an offset on lie in the damaged object that has the first of them."""
    why, reach = _failure(store, name, at, 1), 1

    def left(gap: int) -> bool:
        return at + gap >= size or _failure(store, name, at + gap, 1) != why

    while not left(reach):
        reach *= 2
    return _first(reach // 2 + 1, min(reach, size - at), left)


def _failure(store: Store, name: str, at: int, length: int) -> str:
    """Return the error of reading bytes, which names the object; "" where they can be read."""
    try:
        store.read(name, at, length)
    except DAMAGE as error:
        return str(error)
    return ""


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number from `low` on for which something holds that holds for `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
