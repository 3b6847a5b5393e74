"""How long pages that nothing needs are kept. It depends on their kind, their last use and a quota.

The documents' rules: shell output is kept for minutes, search and web results for hours, notes for
days, reports forever, other pages 24 hours. A page is deleted only if it is expired, not used by
the window, not important and not kept for good. Over the quota, least recently used first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from loom.errors import BadInput
from loom.text import fit_repr
from loom.typed import is_whole_number
from loom_partitions.journaled import Why

SHOWN = 80  # characters of a value that somebody gave, in a message
LONGEST = 2**63  # seconds
HOUR = 3_600.0
DAY = 24 * HOUR
# Seconds by kind. Minutes and hours are the documents', how many of them is a judgement: of a
# day's work an hour's shell output is still spoken of.
TTL: dict[str, float] = {
    "shell": HOUR,
    "search": 6 * HOUR,  # of files and of the web
    "page": 6 * HOUR,  # of the web
    "list": 6 * HOUR,
    "weather": 6 * HOUR,
}
# What nothing can bring again: what the user or the host said, what the model wrote, what stands
# for entries that were folded, what agents hand over (the documents' reports). No time ends them.
LASTING = frozenset(
    {
        *("message", "text", "reply", "digest"),
        *("goal", "plan", "scratch", "surface", "system", "memory", "skill", "pinned"),
        *("spawn", "granted", "artefact", "earlier", "undone"),
    }
)


class Retention(Struct, frozen=True, kw_only=True):
    """Which pages garbage collection deletes. Pages that are still referred to are always kept.

    ttl: maps a kind of page to the seconds after its last use when it is deleted. None: never.
        Other kinds have the times of `TTL`. The kind is the part of a page's name before its
        number: shell_0012.txt has the kind "shell". What the user said, what the model wrote and
        digests (the kinds in `LASTING`) are never deleted by time.
    default: the seconds for any other kind; 24 hours if not given. None: never.
    quota: the most bytes for all pages, counted without compression. Over it, the least recently
        used pages are deleted first, expired or not. None: no quota.
    horizon: the pages of this many last requests are kept, so that `undo` can go back to them.

    Raises BadInput for a value that is not a number or is below 0, and for a kind in `LASTING`.

        >>> with loom.open("memory://kept") as ctx:
        ...     ctx.history.gc(loom.Retention(ttl={"shell": 60.0}, quota=10**8)).freed
        0"""

    ttl: dict[str, float | None] = {}
    default: float | None = DAY
    quota: int | None = None
    horizon: int = 100  # a judgement: more than the model's work between two messages of a user

    def __post_init__(self) -> None:
        _check_fields(self)

    def seconds(self, kind: str) -> float:
        """Return the seconds without use (maybe infinite) after which such a page is deleted."""
        if kind in LASTING:
            return math.inf
        given = self.ttl[kind] if kind in self.ttl else TTL.get(kind, self.default)
        return math.inf if given is None else given


class GonePage(Struct, frozen=True):
    """A page that garbage collection deletes. `bytes` is its size, `idle` the seconds since its
    last use, `why` is "expired" or "quota"."""

    name: str
    kind: str
    bytes: int
    why: Why
    idle: float = 0.0


class KeptPages(Struct, frozen=True):
    """Number (`pages`) and size (`bytes`) of the pages of one kind that are kept for one reason."""

    kind: str
    why: str
    pages: int
    bytes: int


class CollectedPages(Struct, frozen=True):
    """The result of a garbage collection.

    `gone` has the pages that were deleted, or would be if `applied` is False. `freed` is the number
    of bytes freed on disk. `kept` counts the pages that stay, by kind and reason; `bytes` is their
    size, and `over` how many bytes they exceed the quota. In `freed` and `bytes`, pages with equal
    content count once (in `freed` only if all are deleted)."""

    gone: tuple[GonePage, ...]
    freed: int
    kept: tuple[KeptPages, ...]
    bytes: int
    over: int = 0
    applied: bool = False


def check_retention(retention: Any) -> Retention:
    """Return `retention` unchanged. Raises BadInput if its type or a value is wrong."""
    if not isinstance(retention, Retention):
        raise BadInput(f"{fit_repr(retention, 80)} is no loom.Retention")
    _check_fields(retention)  # what it holds may have been changed since
    return retention


def _check_fields(given: Retention) -> None:
    """Raise BadInput if a field is not a number or is out of range, or if `ttl` has a kind in
    LASTING."""
    if not isinstance(given.ttl, Mapping) or not all(isinstance(kind, str) for kind in given.ttl):
        raise BadInput(f"ttl={fit_repr(given.ttl, SHOWN)}: give seconds by the kind of a page")
    for name, seconds in (*given.ttl.items(), ("default", given.default)):
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (number and 0 <= seconds < LONGEST):
            told = fit_repr(seconds, SHOWN)
            raise BadInput(f"ttl of {name}: {told}: give seconds, from 0 on, or None for never")
    lasting = sorted(LASTING & given.ttl.keys())
    if lasting:
        raise BadInput(f"ttl of {lasting[0]}: nothing can bring it again, so it has no time")
    if not (is_whole_number(given.horizon) and given.horizon >= 0):
        raise BadInput(f"horizon={fit_repr(given.horizon, SHOWN)}: give a number from 0 on")
    if given.quota is not None and not (is_whole_number(given.quota) and given.quota >= 0):
        raise BadInput(f"quota={fit_repr(given.quota, SHOWN)}: give bytes, from 0 on, or None")
