"""The key a guide stands under in the memory partition."""

from __future__ import annotations

from hashlib import blake2b

from loom.engine.head import KEY_CHARS
from loom.text import cut_front, one_line, printable


def key_of(path: str) -> str:
    """The key a guide stands under: its path, or for one that is no short line the end of it."""
    key = one_line(printable(path), KEY_CHARS)
    if key == path:
        return key
    digest = blake2b(path.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    end = cut_front(one_line(printable(path), len(path)), KEY_CHARS - len(digest) - 1)
    return f"{digest}~{end}"
