"""A log on an object store of which objects are damaged: all of it that can be read."""

from __future__ import annotations

from bisect import bisect_left

from loom_paging import CorruptJournal, CorruptPage, MissingPage, OutsideStore, Store

# Errors that are of one name alone. All others, as of a store that does not answer, are raised.
DAMAGE = (CorruptPage, MissingPage, CorruptJournal, OutsideStore)
CHUNK = 1 << 16  # bytes read at once


def salvaged(store: Store, name: str) -> bytes:
    """The bytes of a log, as many as it has; zeros and a line end in the place of those that lie in
    a damaged object, so that a line which lost bytes is one that does not verify.

    Each object is one run of the log, so its end is found by halving: some forty reads an object.
    """
    size, at = store.size(name), 0
    parts: list[bytes] = []

    def failure(at: int, length: int) -> str:
        """The error of reading bytes, which names the object; "" where they can be read."""
        try:
            store.read(name, at, length)
        except DAMAGE as error:
            return str(error)
        return ""

    while at < size:
        length = min(CHUNK, size - at)
        try:
            parts.append(store.read(name, at, length))
        except DAMAGE:
            sound = bisect_left(range(1, length), True, key=lambda n: failure(at, n) != "")
            parts.append(store.read(name, at, sound) if sound else b"")
            at, why = at + sound, failure(at + sound, 1)
            others = range(at + 1, size)
            length = 1 + bisect_left(others, True, key=lambda one: failure(one, 1) != why)
            parts.append(b"\0" * (length - 1) + b"\n")
        at += length
    return b"".join(parts)
