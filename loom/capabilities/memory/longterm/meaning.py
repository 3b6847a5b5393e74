"""Search by meaning: a vector for each memory that may be found, and its cosine with a query.

No transaction is open while an embedder works, which may take half a minute: others go on saving.
A memory that went in the meantime gets no vector, as `Backend.keep_vectors` sees to.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from loom.capabilities.memory.longterm.errors import BusyStore, ReadOnlyStore
from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.capabilities.memory.longterm.stores.backend import Backend
from loom.search.semantic import BATCH, MOST, Embedder, name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Door(Protocol):
    """How to get at a backend: a transaction, shut between threads."""

    def reading(self) -> AbstractContextManager[Backend]:
        """To read."""
        ...

    def writing(self) -> AbstractContextManager[Backend]:
        """To write."""
        ...


def similar(door: Door, embedder: Embedder, words: str) -> dict[int, float]:
    """Cosine with the words of every memory that has a vector, by id.

    Of those without one the newest MOST are given one first. Where they cannot be kept, because
    the store is read-only or another process writes, they count for this query alone.
    """
    import numpy as np

    name = name_of(embedder)
    with door.reading() as backend:
        ids, blob = backend.vectors(name)
        known = set(ids)
        missing = list(islice((m for m in backend.newest() if m.id not in known), MOST))
    parts = [np.frombuffer(blob, np.float16).reshape(len(ids), -1)] if ids else []
    for at in range(0, len(missing), BATCH):
        batch = missing[at : at + BATCH]
        vectors = np.asarray(embedder.embed([m.text for m in batch]), np.float16)
        with suppress(ReadOnlyStore, BusyStore):
            _keep(door, name, batch, vectors)
        parts.append(vectors)
        ids += [m.id for m in batch]
    if not parts:
        return {}
    matrix = np.concatenate(parts).astype(np.float32)
    asked = np.asarray(embedder.embed([words]), np.float32)[0]
    return dict(zip(ids, (matrix @ asked).tolist(), strict=True))


def _keep(door: Door, name: str, batch: list[MemoryItem], vectors: NDArray[np.float16]) -> None:
    rows = ((m.id, row.tobytes()) for m, row in zip(batch, vectors, strict=True))
    with door.writing() as backend:
        backend.keep_vectors(name, rows)
