"""Garbage collection: which pages go, which stay, and why; decided, recorded, the files go later.

Equal bytes lie on disk once, however many pages have them. So bytes come free only with the last
name of them, and a quota is held against what really lies there. Bytes are those of whole pages:
cold ones, which packs compress, take less.

The record is all that a call changes. Files are removed once it can no longer be undone, when the
next call commits, so a call that is interrupted anywhere has let go of nothing or of all it names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from errno import EROFS
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.retention import LASTING, CollectedPages, GonePage, KeptPages, Retention, check_retention
from loom.session.archive.live import live_pages
from loom.session.archive.lookup import named
from loom.session.archive.restore import entry_of, no_entry
from loom.session.archive.workspace import Workspace
from loom_paging import FULL, Expired, MissingPage, PagingError, check_disk
from loom_paging.checkpoint import forget
from loom_partitions.journaled import Why
from loom_partitions.records import Record, Sifted

KIND = lazy_re(r"outputs/(?P<kind>.+)_[0-9]+(?:\.[^/]*)?")
TYPED, YOUNG = "given or written", "not over yet"  # why a page stays that nothing live names
SECOND = 1_000  # milliseconds
Commit: TypeAlias = Callable[[*tuple[Record, ...]], None]


def collect(workspace: Workspace, retention: Retention, commit: Commit | None) -> CollectedPages:
    """The pages that go by a retention; recorded where there is a `commit`."""
    found = collectable(workspace, check_retention(retention))
    if commit is None:
        return found
    commit_with_room(workspace, found, lambda: commit(*retirements(found)))
    return replace(found, applied=True)


def promoted(workspace: Workspace, ref: str) -> tuple[Sifted, ...]:
    """The record that keeps a page for good, or those of an entry; none for what is kept already.

    Raises MissingPage, for a snapshot too, which no collection takes, and Expired for
    what was let go before.
    """
    entry = entry_of(ref)
    if entry is None:
        pages = [named(workspace, ref)]
        if not page_kind(pages[0]):
            raise MissingPage(ref, "the pages that collections take", "it stays without that")
    elif entry in workspace.index:
        pages = [*workspace.index.pages.get(entry, ())]
    else:
        raise no_entry(str(entry), workspace.window.history.next_id - 1)
    for page in pages:
        if page in workspace.pager.retired:
            raise Expired(page, workspace.pager.retired[page])
    fresh = tuple(page for page in pages if page not in workspace.folded.promoted)
    return (Sifted(fresh, "kept"),) if fresh else ()


def after_renewal(workspace: Workspace, retention: Retention | None, commit: Commit) -> None:
    """Let go what the policy says, and end the segment.

    No part of the renewal, which stands: a failure here must not look like one of it.
    """
    steps: list[Callable[[], object]] = [workspace.seal]
    if retention is not None:
        steps.insert(0, partial(collect, workspace, retention, commit))
    for step in steps:
        try:
            step()
        except (OSError, PagingError) as error:
            check_disk(error)


def collectable(workspace: Workspace, retention: Retention) -> CollectedPages:
    """The pages that would go now, by the workspace's clock. Nothing is changed."""
    folded, now = workspace.folded, workspace.clock()
    table, retired, last = folded.pager.table, folded.pager.retired, folded.index.used
    stays = live_pages(workspace, retention.horizon)
    sizes = {name: table[name].size for name in last if page_kind(name) and name not in retired}
    names = Counter(table[name].sha256 for name in sizes)  # of equal bytes
    gone: dict[str, GonePage] = {}

    def drop(name: str, why: Why) -> int:
        """Let a page go; the bytes that come free."""
        idle = max(now - last[name][1], 0) / SECOND
        gone[name] = GonePage(name, page_kind(name), sizes[name], why, idle)
        names[table[name].sha256] -= 1
        return 0 if names[table[name].sha256] else sizes[name]

    held, freed = sum({table[name].sha256: size for name, size in sizes.items()}.values()), 0
    young = []
    dead = [name for name in sizes if name not in stays]
    # Of equal age the one that was made first.
    for name in sorted(dead, key=lambda name: last[name][0]):
        if page_kind(name) in LASTING or name in folded.index.typed:
            stays[name] = TYPED
        elif now - last[name][1] >= retention.seconds(page_kind(name)) * SECOND:
            freed += drop(name, "expired")
        else:
            young.append(name)
    quota = math.inf if retention.quota is None else retention.quota
    # A name of bytes that another page needs brings nothing.
    needed = {table[name].sha256 for name in sizes if name in stays}
    for name in young:
        if held - freed > quota and table[name].sha256 not in needed:
            freed += drop(name, "quota")
        else:
            stays[name] = YOUNG
    left = held - freed
    kept = (name for name in sizes if name not in gone)
    return CollectedPages(
        tuple(gone.values()), freed, _kept(kept, stays, sizes), left, int(max(left - quota, 0))
    )


def _kept(
    names: Iterable[str], stays: Mapping[str, str], sizes: Mapping[str, int]
) -> tuple[KeptPages, ...]:
    """Pages that stay, together by kind and reason."""
    kept: dict[tuple[str, str], list[int]] = {}
    for name in names:
        kept.setdefault((page_kind(name), stays[name]), []).append(sizes[name])
    return tuple(
        KeptPages(kind, why, len(each), sum(each)) for (kind, why), each in sorted(kept.items())
    )


def retirements(found: CollectedPages) -> Iterator[Sifted]:
    """The records of a collection, one for each reason."""
    left = found.freed
    for why in ("expired", "quota"):
        names = tuple(page.name for page in found.gone if page.why == why)
        if names:
            yield Sifted(names, why, left)
            left = 0  # told once: what comes free does so for both together


def page_kind(name: str) -> str:
    """The part of a page's name before its number; "" for what is no page of outputs."""
    match = KIND.fullmatch(name)
    return match["kind"] if match else ""


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
