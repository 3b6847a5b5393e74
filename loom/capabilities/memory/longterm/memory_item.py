"""A memory and its constructor. Text is stored as UTF-8: U+FFFD replaces a lone surrogate."""

from __future__ import annotations

import math
from hashlib import blake2b

from msgspec import Struct, msgpack

from loom.errors import BadInput
from loom.text import encodable, utf8_size

TEXT_BYTES = 65_536  # of a memory; more belongs in a file that the memory names
LABEL_BYTES = 4_096  # of a key, a kind, a source: as long as the longest path
LABELS = ("key", "kind", "source")
LONGEST = 10**12  # seconds of a ttl: some thirty thousand years
LAST_ID = (1 << 63) - 1


class MemoryItem(Struct, frozen=True):
    """A saved memory. Times are unix seconds.

    `id` is unique and higher for later memories; 0 means not stored yet. `source` names the session
    and entry that the text came from. `expires` 0 means never. `replaces` and `replaced_by` are ids
    of the older and newer memory of the same key, 0 for none. `agent` is always "" in new memories.
    """

    id: int
    text: str
    key: str = ""
    kind: str = "fact"
    source: str = ""
    agent: str = ""
    saved: float = 0.0
    expires: float = 0.0
    replaces: int = 0
    replaced_by: int = 0

    def alive(self, now: float) -> bool:
        """Return True if the memory is neither replaced nor expired at the time `now`."""
        return not self.replaced_by and not self.expired(now)

    def expired(self, now: float) -> bool:
        """Return True if the memory has expired by the time `now`."""
        return 0 < self.expires <= now


class Scored(Struct, frozen=True):
    """A memory found by a query, with its score. Scores are comparable within one query only."""

    memory: MemoryItem
    score: float


def memory_digest(memory: MemoryItem) -> bytes:
    """Return a 16-byte digest of the memory's text, key and kind."""
    return blake2b(msgpack.encode((memory.text, memory.key, memory.kind)), digest_size=16).digest()


def new_memory(
    text: str, now: float, key: str = "", kind: str = "fact", source: str = "", ttl: float = 0.0
) -> MemoryItem:
    """Return a memory, not stored yet, saved at `now`. `ttl` is its lifetime in seconds, 0 for
    ever. Raises BadInput."""
    for name, value in {"text": text, "key": key, "kind": kind, "source": source}.items():
        if not isinstance(value, str):
            raise BadInput(f"{name} is a {type(value).__name__}: give a str")
        most, size = TEXT_BYTES if name == "text" else LABEL_BYTES, utf8_size(encodable(value))
        if size > most:
            hint = " (save a summary, and name the file that holds the rest)" * (name == "text")
            raise BadInput(f"{name} has {size:,} bytes, more than {most:,}: shorten it{hint}")
    if not encodable(text).strip():
        raise BadInput("the text of a memory is blank: give it words, or do not save it")
    now, ttl = checked_seconds("now", now), checked_seconds("ttl", ttl)
    if ttl > LONGEST:
        raise BadInput(f"ttl {ttl!r} is over {LONGEST:,} seconds: give fewer, or 0 for ever")
    text, key, kind, source = map(encodable, (text, key, kind, source))
    expires = now + ttl if ttl else 0.0
    return MemoryItem(0, text, key, kind, source, saved=now, expires=expires)


def checked_seconds(name: str, value: float) -> float:
    """Return `value` as a float. Raises BadInput, with `name`, if it is negative or no number."""
    try:
        seconds = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise BadInput(f"{name} {value!r} is no number of seconds from 0 on")
    return seconds + 0.0  # never -0.0, which sorts otherwise
