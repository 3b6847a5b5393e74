"""How long pages that nothing needs are kept: by kind, by the room they take, by use.

The documents say: shell output minutes, search and web results hours, notes days, reports never,
anything else 24 hours; a page is deleted only when expired, unreferenced by the live context, not
important and not kept for good; over a size, the least recently used first."""

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
    """Which pages garbage collection deletes, among the pages that nothing live names.

    ttl: by kind of page, how many seconds after its last use a page is deleted, None for never;
        kinds not given have the times of `TTL`. The kind is the part of a page's name before its
        number (`shell` in shell_0012.txt). For what the user said, the model wrote, and digests
        (the kinds in `LASTING`) no time can be given.
    default: seconds for any other kind, by default the documents' 24 hours; None: never.
    quota: the most bytes for all pages, counted as if none were compressed. Over it the pages used
        longest ago are deleted first, expired or not; None: no quota.
    horizon: so many of the last requests keep all their pages, so that `undo` can go back to them.

    Raises BadInput for a value that is no number or below 0, and for a kind in `LASTING`.

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
        """Return how many seconds after its last use a page of this kind is deleted; may be
        infinite."""
        if kind in LASTING:
            return math.inf
        given = self.ttl[kind] if kind in self.ttl else TTL.get(kind, self.default)
        return math.inf if given is None else given


class GonePage(Struct, frozen=True):
    """A page that garbage collection deletes: its size in `bytes`, the reason `why` ("expired" or
    "quota"), and `idle`, the seconds since its last use."""

    name: str
    kind: str
    bytes: int
    why: Why
    idle: float = 0.0


class KeptPages(Struct, frozen=True):
    """The pages of one kind that stay for one reason: how many there are (`pages`), and their
    bytes."""

    kind: str
    why: str
    pages: int
    bytes: int


class CollectedPages(Struct, frozen=True):
    """The result of a garbage collection.

    `gone` are the pages deleted, or with `applied` False, those that would be. `freed` is the bytes
    that the disk gets back; pages of equal content count once, and only when all of them go. `kept`
    counts the pages that stay, by kind and reason; `bytes` is their size, equal content once.
    `over` is how far they exceed the quota, where no more pages may be deleted."""

    gone: tuple[GonePage, ...]
    freed: int
    kept: tuple[KeptPages, ...]
    bytes: int
    over: int = 0
    applied: bool = False


def check_retention(retention: Any) -> Retention:
    """Return a Retention unchanged. Raises BadInput for a wrong type or value."""
    if not isinstance(retention, Retention):
        raise BadInput(f"{fit_repr(retention, 80)} is no loom.Retention")
    _check_fields(retention)  # what it holds may have been changed since
    return retention


def _check_fields(given: Retention) -> None:
    """Raise BadInput for a field that is no number or out of range, or for a `ttl` of a kind in
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
