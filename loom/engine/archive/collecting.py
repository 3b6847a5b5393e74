"""Garbage collection, decided: which pages go, which stay, and why; what the disk gets back.

Equal bytes lie on disk once, however many pages have them. So bytes come free only with the last
name of them, and a quota is held against what really lies there. Bytes are those of whole pages:
cold ones, which packs compress, take less.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from errno import EROFS

from msgspec import Struct

from loom.engine.archive.live import live_pages
from loom.engine.archive.workspace import Workspace
from loom.lazy import lazy_re
from loom.retention import LASTING, Retention
from loom_paging import FULL
from loom_paging.checkpoint import forget
from loom_partitions.records import Retired
from loom_partitions.retired import Why

KIND = lazy_re(r"outputs/(?P<kind>.+)_[0-9]+(?:\.[^/]*)?")
TYPED, YOUNG = "given or written", "not over yet"  # why a page stays that nothing live names
SECOND = 1_000  # milliseconds


class GonePage(Struct, frozen=True):
    """A page that goes: its size in bytes, and why: "expired" or "quota"; `idle` are the seconds
    since its last use."""

    name: str
    kind: str
    bytes: int
    why: Why
    idle: float = 0.0


class KeptPages(Struct, frozen=True):
    """Pages of a kind that stay for one reason: how many, and their bytes."""

    kind: str
    why: str
    pages: int
    bytes: int


class CollectedPages(Struct, frozen=True):
    """The result of a garbage collection.

    `gone` are the pages that went (`applied`), or would go; `freed` the bytes the disk gets back
    for them, less than theirs together where other pages have equal ones. `kept` are those that
    stay, by kind and reason; `bytes` are theirs, equal ones once. `over` says by how much that is
    above the quota, where what may go was not enough.
    """

    gone: tuple[GonePage, ...]
    freed: int
    kept: tuple[KeptPages, ...]
    bytes: int
    over: int = 0
    applied: bool = False


def collectable(workspace: Workspace, retention: Retention) -> CollectedPages:
    """The pages that would go now, by the workspace's clock. Nothing is changed."""
    folded, now = workspace.folded, workspace.clock()
    table, retired = folded.pager.table, folded.pager.retired
    rest = [name for name in folded.uses.last if KIND.fullmatch(name) and name not in retired]
    live = live_pages(workspace, retention.horizon)
    disk = _Disk((table[name].sha256, table[name].size) for name in rest)
    gone: dict[str, Why] = {}
    stays: dict[str, str] = {}
    dead = [name for name in rest if name not in live]
    # Of equal age the one that was made first.
    for name in sorted(dead, key=lambda name: folded.uses.last[name][0]):
        if _lasts(workspace, name):
            stays[name] = TYPED
        elif now - folded.uses.last[name][1] >= retention.seconds(page_kind(name)) * SECOND:
            gone[name] = "expired"
            disk.drop(table[name].sha256)
        else:
            stays[name] = YOUNG
    quota = math.inf if retention.quota is None else retention.quota
    # A name of bytes that another page needs brings nothing.
    needed = {table[name].sha256 for name in rest if name in live or stays.get(name) == TYPED}
    for name in [name for name, why in stays.items() if why == YOUNG]:
        if disk.bytes <= quota:
            break
        if table[name].sha256 in needed:
            continue
        gone[name] = "quota"
        del stays[name]
        disk.drop(table[name].sha256)
    kept = ((name, live.get(name) or stays[name]) for name in rest if name not in gone)
    return CollectedPages(
        tuple(
            GonePage(name, page_kind(name), table[name].size, why, _idle(workspace, name, now))
            for name, why in gone.items()
        ),
        disk.freed,
        tuple(_kept(workspace, kept)),
        disk.bytes,
        int(max(disk.bytes - quota, 0)),
    )


def retirements(found: CollectedPages) -> Iterator[Retired]:
    """The records of a collection, one for each reason."""
    left = found.freed
    for why in ("expired", "quota"):
        names = tuple(page.name for page in found.gone if page.why == why)
        if names:
            yield Retired(names, why, left)
            left = 0  # told once: what comes free does so for both together


class _Disk:
    """Bytes on disk, each counted once however many names it has."""

    def __init__(self, pages: Iterable[tuple[str, int]]) -> None:
        held = [*pages]
        self._names = Counter(sha256 for sha256, _ in held)
        self._sizes = dict(held)
        self.bytes = sum(self._sizes.values())
        self.freed = 0

    def drop(self, sha256: str) -> None:
        """Let one name of these bytes go."""
        self._names[sha256] -= 1
        if not self._names[sha256]:
            self.bytes -= self._sizes[sha256]
            self.freed += self._sizes[sha256]


def page_kind(name: str) -> str:
    """The part of a page's name before its number; "" for what is no page of outputs."""
    match = KIND.fullmatch(name)
    return match["kind"] if match else ""


def _idle(workspace: Workspace, name: str, now: int) -> float:
    """Seconds since the last use of a page."""
    return max(now - workspace.folded.uses.last[name][1], 0) / SECOND


def _lasts(workspace: Workspace, name: str) -> bool:
    """True for what no time and no quota ends."""
    return page_kind(name) in LASTING or name in workspace.folded.uses.typed


def _kept(workspace: Workspace, kept: Iterable[tuple[str, str]]) -> Iterator[KeptPages]:
    counts: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for name, why in kept:
        counts[page_kind(name), why] += 1
        sizes[page_kind(name), why] += workspace.pager.table[name].size
    for (kind, why), pages in sorted(counts.items()):
        yield KeptPages(kind, why, pages, sizes[kind, why])


def commit_with_room(
    workspace: Workspace, found: CollectedPages, commit: Callable[[], None]
) -> None:
    """Commit what lets pages go. Where a disk is too full even for that, what is derived goes
    first, which the next checkpoint makes anew, and then the file of one of the pages."""
    try:
        commit()
    except OSError as error:
        if error.errno not in FULL - {EROFS}:
            raise
    else:
        return
    forget(workspace.store)
    largest = max(found.gone, key=lambda page: page.bytes).name
    data = workspace.store.get(largest)
    workspace.store.delete(largest)
    try:
        commit()
    except BaseException:
        workspace.store.put(largest, data)
        raise
