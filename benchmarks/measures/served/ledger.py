"""What a provider is sent: bytes, and how many of them its prompt cache has already.

A message stands in the cache when it and all before it are those of the conversation's request
before; marks of the cache are no part of it. A cost unit is a million bytes at the plain price of
input (`benchmarks.measures.cost`).
"""

from __future__ import annotations

from threading import Lock
from typing import Any

from msgspec import Struct, json

from benchmarks.measures.cost.bill import UNITS
from loom.lazy import lazy_re
from loom.serve.chains import plain

CANARY = lazy_re(rb"<<([\w-]+)>>")
UNIT = 1_000_000


class SentBytes(Struct):
    """The requests of one conversation, added up. `cuts`: those that begin otherwise than the one
    before. `strange`: those with a canary of another conversation."""

    requests: int = 0
    sent: int = 0
    cached: int = 0
    largest: int = 0
    cuts: int = 0
    strange: int = 0

    @property
    def units(self) -> float:
        """Cost in millions of bytes at the plain price."""
        written = self.sent - self.cached
        return (UNITS.read * self.cached + UNITS.write * written) / UNIT


class ProviderLedger:
    """Hears every request, by the name of its conversation."""

    def __init__(self) -> None:
        self.of: dict[str, SentBytes] = {}
        self._before: dict[str, list[bytes]] = {}
        self._lock = Lock()

    def hear(self, name: str, body: bytes) -> None:
        """Take in a request as it came."""
        with self._lock:
            told = self.of.setdefault(name, SentBytes())
            asked: dict[str, Any] = json.decode(body)
            parts = [json.encode(plain([asked.get("system"), asked.get("tools")]))]
            parts += [json.encode(plain(one)) for one in asked["messages"]]
            before = self._before.get(name, [])
            same = 0
            for old, new in zip(before, parts, strict=False):
                if old != new:
                    break
                same += 1
            told.requests += 1
            told.sent += sum(map(len, parts))
            told.cached += sum(map(len, parts[:same]))
            told.largest = max(told.largest, sum(map(len, parts)))
            told.cuts += same < len(before)
            told.strange += bool({one.decode() for one in CANARY.findall(body)} - {name})
            self._before[name] = parts
