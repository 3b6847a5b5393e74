"""The memories that answer a query best: by words, by meaning, and by recency among near equals.

A score is brought to hundredths of the best one (GRADES); within a grade the newest stands first.
So a newer memory passes an older one only where the scores hardly tell them apart. Memories are
read as they are needed: how many of a hundred thousand hits are dead does not matter, only how
many of them stand before the last one shown.

Meaning is the cosine of a memory's vector with that of the query. No transaction is open while an
embedder works, which may take half a minute: others go on saving. A memory that went in the
meantime gets no vector, as `Sqlite.keep_vectors` sees to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from itertools import islice
from typing import TypeAlias

from loom.capabilities.memory.longterm.errors import BusyStore, ReadOnlyStore
from loom.capabilities.memory.longterm.memory_item import MemoryItem, Scored
from loom.capabilities.memory.longterm.stores.sqlite import Sqlite
from loom.search.semantic import BATCH as EMBEDDED
from loom.search.semantic import MOST, Embedder, name_of

GRADES = 100
POOL = 64  # live hits that are graded, when fewer are asked for
BATCH = 64  # memories read at once

Door: TypeAlias = Callable[[], AbstractContextManager[Sqlite]]  # a transaction
Read: TypeAlias = Callable[[Iterable[int]], Mapping[int, MemoryItem]]


def best(
    ranked: Iterable[tuple[int, float]], read: Read, fits: Callable[[MemoryItem], bool], limit: int
) -> list[Scored]:
    """The `limit` best memories that fit. `ranked` is (id, score), best first."""
    found = (one for one in _scored(iter(ranked), read) if fits(one.memory))
    pool = list(islice(found, max(limit, POOL)))
    top = pool[0].score if pool else 0.0

    def order(one: Scored) -> tuple[int, float, int]:
        grade = round(one.score / top * GRADES) if top > 0 else 0
        return -grade, -one.memory.saved, -one.memory.id

    return sorted(pool, key=order)[:limit]


def _scored(ranked: Iterator[tuple[int, float]], read: Read) -> Iterator[Scored]:
    while batch := dict(islice(ranked, BATCH)):
        memories = read(batch)
        yield from (Scored(memories[id], batch[id]) for id in batch if id in memories)


def similar(reading: Door, writing: Door, embedder: Embedder, words: str) -> dict[int, float]:
    """Cosine with the words of every memory that has a vector, by id.

    Of those without one the newest MOST are given one first. Where they cannot be kept, because
    the store is read-only or another process writes, they count for this query alone.
    """
    import numpy as np

    name = name_of(embedder)
    with reading() as backend:
        ids, blob = backend.vectors(name)
        if not ids and next(backend.newest(), None) is None:
            return {}
    asked = np.nan_to_num(np.asarray(embedder.embed([words]), np.float32)[0])
    if len(blob) != len(ids) * len(asked) * np.dtype(np.float16).itemsize:
        # One of that name had other dimensions: its vectors say nothing to this one.
        ids, blob = [], b""
        with suppress(ReadOnlyStore, BusyStore), writing() as backend:
            backend.keep_vectors("", ())
    with reading() as backend:
        known = set(ids)
        missing = list(islice((m for m in backend.newest() if m.id not in known), MOST))
    parts = [np.frombuffer(blob, np.float16).reshape(len(ids), -1)] if ids else []
    for at in range(0, len(missing), EMBEDDED):
        batch = missing[at : at + EMBEDDED]
        vectors = np.nan_to_num(np.asarray(embedder.embed([m.text for m in batch]), np.float16))
        rows = ((m.id, row.tobytes()) for m, row in zip(batch, vectors, strict=True))
        with suppress(ReadOnlyStore, BusyStore), writing() as backend:
            backend.keep_vectors(name, rows)
        parts.append(vectors)
        ids += [m.id for m in batch]
    if not parts:
        return {}
    matrix = np.nan_to_num(np.concatenate(parts).astype(np.float32))
    return dict(zip(ids, (matrix @ asked).tolist(), strict=True))
