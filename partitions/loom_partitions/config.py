"""The settings a workspace was opened with, and the records that change its sizes."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

from loom_partitions.limits import Budget, Limits

# Two letters with which no token of the public vocabularies ends but these two themselves: a mark,
# with two digits behind them, is two tokens behind a blank: a word stands before each of them.
PAIRS = ("hx", "qw", "vh", "wz", "xm", "xv", "zx")


# How what left the window is brought back: by the tool, by reading a file, or not at all; "" in a
# workspace that was made before this was recorded.
Ways = Literal["", "page_in", "files", "none"]


class Opened(Struct, frozen=True, tag="Opened"):
    """A workspace was opened for the first time. `policy` is the engine's settings, not read here.

    `encoding` names the encoding that tokens were counted with. `key` is a random text, by which a
    provider can send all requests of this workspace to the same cache. `depth` is 0 for an agent
    that nobody spawned; `budget` is the budget of a spawned agent. `ways` says how text that left
    the window is brought back, and `files` is the folder when this is done by reading files."""

    limits: Limits
    policy: dict[str, Any]
    model: str = ""
    depth: int = 0
    encoding: str = ""
    key: str = ""
    budget: Budget | None = None
    ways: Ways = ""
    files: str = ""

    @property
    def mark(self) -> str:
        """Four characters, such as `zx73`, made from `key`. All text that Loom itself writes into
        the window contains the mark."""
        return _mark_from_key(self.key)


@lru_cache(maxsize=64)
def _mark_from_key(key: str) -> str:
    drawn = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
    return f"{PAIRS[drawn % len(PAIRS)]}{drawn // len(PAIRS) % 100:02}"


class Resized(Struct, frozen=True, tag="Resized"):
    """The sizes of the window, or its model, changed. `ways` says how text that left the window is
    brought back; None means no change. `files` is the folder with such text as files."""

    limits: Limits
    model: str = ""
    ways: Ways | None = None
    files: str = ""


class Redacted(Struct, frozen=True, tag="Redacted", omit_defaults=True):
    """Secrets were replaced. `counts` maps each kind of secret to how many were replaced.

    `off` is True when the workspace was opened without rules that replace secrets. `places` is set
    only by a purge of stored secrets: it maps a place (journal, page, bus …) to the number of
    secrets in this place."""

    counts: dict[str, int]
    off: bool = False
    places: dict[str, int] | None = None
