"""Rows of RocksDB under (prefix, number), and the batch that is written as one.

Within a transaction changes stay in memory, and reads see them over what is stored; `commit` writes
them as one batch that is synced, so a crash leaves all of them or none. A number is eight bytes,
the greatest first bit first, so that keys sort by it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from heapq import merge
from typing import Any

NUMBER = 8  # bytes


class Table:
    """The rows of an open Rdict in raw mode."""

    def __init__(self, db: Any) -> None:
        self._db = db
        self._pending: dict[bytes, dict[int, bytes | None]] = {}

    def get(self, prefix: bytes, number: int = 0) -> bytes | None:
        """The value of a row, None when there is none."""
        held = self._pending.get(prefix)
        if held is not None and number in held:
            return held[number]
        value: bytes | None = self._db.get(_key(prefix, number))
        return value

    def empty(self) -> bool:
        """True when there is no committed row at all."""
        return next(iter(self._db.keys()), None) is None

    def put(self, prefix: bytes, number: int, value: bytes) -> None:
        """Set a row."""
        self._pending.setdefault(prefix, {})[number] = value

    def drop(self, prefix: bytes, number: int) -> None:
        """Remove a row, if it is there."""
        self._pending.setdefault(prefix, {})[number] = None

    def numbers(self, prefix: bytes) -> list[int]:
        """The numbers under a prefix, rising."""
        held = self._pending.get(prefix, {})
        stored = {number for number, _ in self.stored(prefix)}
        added = {number for number, value in held.items() if value is not None}
        return sorted((stored - held.keys()) | added)

    def falling(self, prefix: bytes) -> Iterator[int]:
        """The numbers under a prefix, the greatest first; no more are read than are asked for."""
        held = self._pending.get(prefix, {})
        added = sorted((n for n, value in held.items() if value is not None), reverse=True)
        stored = (n for n, _ in self.stored(prefix, backwards=True) if n not in held)
        return merge(added, stored, reverse=True)

    def stored(self, prefix: bytes, *, backwards: bool = False) -> Iterator[tuple[int, bytes]]:
        """Committed rows under a prefix of fixed length, by number."""
        start = _key(prefix, (1 << 64) - 1) if backwards else prefix
        for key, value in self._db.items(backwards=backwards, from_key=start):
            if not key.startswith(prefix) or len(key) != len(prefix) + NUMBER:
                return
            yield int.from_bytes(key[-NUMBER:], "big"), value

    def upto(self, prefix: bytes, end: bytes) -> Iterator[int]:
        """Numbers of committed rows under prefix + as many bytes as `end` has, up to `end`."""
        for key in self._db.keys(from_key=prefix):
            if not key.startswith(prefix) or key[len(prefix) : len(prefix) + len(end)] > end:
                return
            yield int.from_bytes(key[-NUMBER:], "big")

    def vacate(self, prefix: bytes) -> None:
        """Remove every row under a prefix."""
        for number in self.numbers(prefix):
            self.drop(prefix, number)

    def compact(self, prefix: bytes, first: int, last: int, options: Any) -> None:
        """Write anew the files that hold those rows, without what was removed."""
        self._db.flush()
        self._db.compact_range(_key(prefix, first), _key(prefix, last + 1), options)

    def commit(self, batch: Any, options: Any) -> None:
        """Write what is pending, all of it or nothing."""
        for prefix, rows in self._pending.items():
            for number, value in rows.items():
                if value is None:
                    batch.delete(_key(prefix, number))
                else:
                    batch.put(_key(prefix, number), value)
        self._db.write(batch, options)
        self._pending = {}

    def undo(self) -> None:
        """Leave what is pending unwritten."""
        self._pending = {}


def number(value: int) -> bytes:
    """A number as keys and values hold it."""
    return value.to_bytes(NUMBER, "big")


def moment(seconds: float) -> bytes:
    """A time from 0 on in eight bytes, which sort as times do."""
    return struct.pack(">d", seconds)


def _key(prefix: bytes, id: int) -> bytes:
    return prefix + number(id)
