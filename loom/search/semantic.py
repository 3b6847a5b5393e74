"""Search by meaning: what an embedder is, and the cosines of all units with a query.

    ctx.memory.use_embedder(loom.search.semantic.MiniLM())  # the extra `semantic`

Any object with `embed` will do. Vectors rest in the index as float16, and every one is compared,
which takes milliseconds for tens of thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from loom.search.index import Passage, SearchIndex, Spoilt
from loom.search.minilm import MiniLM as MiniLM
from loom.search.minilm import available as available

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 64  # units embedded in one transaction
MOST = 512  # units embedded in one recall, the newest first: half a minute of MiniLM


class Embedder(Protocol):
    """Turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of unit length, (number of texts, dimensions)."""
        ...


def name_of(embedder: Embedder) -> str:
    """The name under which an embedder's vectors are stored: its `name`, else its type."""
    kind = type(embedder)
    return str(getattr(embedder, "name", f"{kind.__module__}.{kind.__qualname__}"))


def similar(
    index: SearchIndex, embedder: Embedder, query: str, read: Callable[[Passage], str]
) -> Mapping[int, float]:
    """Cosine with the query of every unit that has a vector, by unit id.

    Of those that have none from this embedder yet, MOST are given one first. Raises Spoilt for
    vectors this embedder cannot have made.
    """
    import numpy as np

    name = name_of(embedder)
    for ids in islice(index.without_vectors(name, BATCH), MOST // BATCH):
        units = index.units(ids)
        made = embedder.embed([read(units[id]) for id in ids])
        vectors = np.nan_to_num(np.asarray(made, np.float16))
        index.add_vectors((id, row.tobytes()) for id, row in zip(ids, vectors, strict=True))
    ids, blob = index.vectors()
    if not ids:
        return {}
    asked = np.asarray(embedder.embed([query]), np.float32)[0]
    if len(blob) != len(ids) * len(asked) * np.dtype(np.float16).itemsize:
        raise Spoilt(f"its vectors have other dimensions than {name}")
    matrix = np.frombuffer(blob, np.float16).reshape(len(ids), -1).astype(np.float32)
    if not np.isfinite(matrix).all():
        raise Spoilt("its vectors hold what is no number")
    return dict(zip(ids, (matrix @ asked).tolist(), strict=True))
