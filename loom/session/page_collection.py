"""Garbage collection: which pages go, which stay, and why. The files go later.

A page is kept while something that may still be used names it: the window, a text of the request,
the words of a tool or a user. A name counts in full (`outputs/read_0007.txt`) and in short
(`read_0007`). Names on the page of a digest, and names a digest knows but does not show, do not
count: they would be all pages there ever were. The next digest shows no name of a page that was
retired meanwhile.

Equal bytes lie on disk once, however many pages have them. So bytes come free only with the last
page that has them, and a quota is compared with the bytes on disk. Bytes are those of whole pages;
pages in packs, which are compressed, take less.

A collection writes nothing but a record. Files are removed when the next call commits, because the
record can no longer be undone then. So a call that is interrupted anywhere has let go of no page,
or of all the record names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from errno import EROFS
from functools import partial
from typing import Any, TypeAlias

from msgspec import json
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.providers.render.message import counted_texts
from loom.providers.render.render import render_request
from loom.retention import LASTING, CollectedPages, GonePage, KeptPages, Retention, check_retention
from loom.session.archive.folded_journal import records_of
from loom.session.archive.full_surfaces import SURFACES, surface_text
from loom.session.archive.page_in_by_name import resolve_page_name
from loom.session.archive.page_reader import UNREADABLE, PageReader
from loom.session.archive.restore import entry_id_in_name, missing_entry, window_after_commit
from loom.session.archive.workspace import Workspace
from loom_paging import FULL, Expired, MissingPage, PagingError, check_disk
from loom_paging.checkpoint import forget
from loom_partitions.edits import Folded
from loom_partitions.journaled import Why
from loom_partitions.message import Digest
from loom_partitions.records import Compressed, Record, Renewed, Sifted, Undone
from loom_partitions.stream import Stream
from loom_partitions.window import Window

KIND = lazy_re(r"outputs/(?P<kind>.+)_[0-9]+(?:\.[^/]*)?")
NAME = lazy_re(r"[a-z0-9-]+_[0-9]{4,15}")
# Why a page is kept, the first that fits.
WINDOW, SHOWN, AGENTS = "the window", "surfaces", "agents"
SNAPSHOT, UNDO, PROMOTED = "the snapshot", "undo", "promoted"
TYPED, YOUNG = "given or written", "not over yet"  # of one that nothing live names
SECOND = 1_000  # milliseconds
Commit: TypeAlias = Callable[[*tuple[Record, ...]], None]


def collect_pages(
    workspace: Workspace, retention: Retention, commit: Commit | None
) -> CollectedPages:
    """Return which pages the rules of `retention` let go, and which stay. If `commit` is given,
    also retire the pages that go."""
    found = collectable_pages(workspace, check_retention(retention))
    if commit is None:
        return found
    commit_with_room(workspace, found, lambda: commit(*retirement_records(found)))
    return replace(found, applied=True)


def promotion_records(workspace: Workspace, ref: str) -> tuple[Sifted, ...]:
    """Return the record that keeps the page, or all pages of the entry, `ref` for good; () if all
    are kept already.

    Raises MissingPage, also for a snapshot, and Expired for a page that was let go before."""
    entry = entry_id_in_name(ref)
    if entry is None:
        pages = [resolve_page_name(workspace, ref)]
        if not page_kind(pages[0]):
            raise MissingPage(ref, "the pages that collections take", "it stays without that")
    elif entry in workspace.index:
        pages = [*workspace.index.pages.get(entry, ())]
    else:
        raise missing_entry(str(entry), workspace.window.history.next_id - 1)
    for page in pages:
        if page in workspace.pager.retired:
            raise Expired(page, workspace.pager.retired[page])
    fresh = tuple(page for page in pages if page not in workspace.folded.promoted)
    return (Sifted(fresh, "kept"),) if fresh else ()


def collect_after_renewal(
    workspace: Workspace, retention: Retention | None, commit: Commit
) -> None:
    """Let pages go by the policy's retention rules, if any, and end the journal's current segment.
    A failure of the disk is ignored."""
    steps: list[Callable[[], object]] = [workspace.journal.seal]
    if retention is not None:
        steps.insert(0, partial(collect_pages, workspace, retention, commit))
    for step in steps:
        # The renewal is committed already and must not look as if it had failed.
        try:
            step()
        except (OSError, PagingError) as error:
            check_disk(error)


def collectable_pages(workspace: Workspace, retention: Retention) -> CollectedPages:
    """Return which pages the rules of `retention` would let go now, and which stay."""
    folded, now = workspace.folded, workspace.clock()
    table, retired, last = folded.pager.table, folded.pager.retired, folded.index.used
    stays = live_pages(workspace, retention.horizon)
    sizes = {name: table[name].size for name in last if page_kind(name) and name not in retired}
    names = Counter(table[name].sha256 for name in sizes)  # of equal bytes
    gone: dict[str, GonePage] = {}

    def drop(name: str, why: Why) -> int:
        """Mark a page as let go. Return the number of bytes freed."""
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
    groups: dict[tuple[str, str], list[int]] = {}  # those that stay, by kind and reason
    for name in sizes.keys() - gone.keys():
        groups.setdefault((page_kind(name), stays[name]), []).append(sizes[name])
    kept = (KeptPages(*key, len(each), sum(each)) for key, each in sorted(groups.items()))
    over = int(max(left - quota, 0))
    return CollectedPages(tuple(gone.values()), freed, tuple(kept), left, over)


def live_pages(workspace: Workspace, horizon: int) -> dict[str, str]:
    """Return the pages that must stay: page → the first reason found. Pages that the last `horizon`
    requests need stay too."""
    stems = {name.rpartition("/")[2].partition(".")[0]: name for name in workspace.index.used}
    found: dict[str, str] = {}
    for why, text in _needed_texts(workspace, horizon):
        for stem in NAME.findall(text):
            if stem in stems:
                found.setdefault(stems[stem], why)
    return found


def _needed_texts(workspace: Workspace, horizon: int) -> Iterator[tuple[str, str]]:
    """Yield (reason, text). Every page that a text names must stay, for the text's reason."""
    window, index = workspace.window, workspace.index
    said = render_request(window, PageReader(workspace))
    texts = [text for message in said.messages for text in counted_texts(message)]
    yield from ((WINDOW, text) for text in (_window_json(window), *said.tools, *texts))
    for surface in SURFACES:  # in full: also what found no room on it
        yield SHOWN, _text_or_empty(partial(surface_text, workspace, surface, window.working))
    for name, record in index.spawned.items():  # of those still at work all that it names
        yield AGENTS, record.page
        if record.page and name not in index.joined:
            yield AGENTS, _text_or_empty(partial(workspace.read, record.page))
    if (newest := workspace.folded.snapshotted) is not None:
        yield (
            SNAPSHOT,
            _text_or_empty(lambda: workspace.store.get(newest[1]).decode("utf-8", "replace")),
        )
    if kept := sorted(index.requests)[-horizon:] if horizon else []:
        yield UNDO, _window_json(window_after_commit(workspace, index.requests[kept[0]]))
        for commit in workspace.journal.scan(index.requests[kept[0]] - 1):
            yield UNDO, " ".join(page.name for page in commit.pages)
            yield from ((UNDO, _record_json(record)) for record in records_of(commit))
    yield from ((PROMOTED, name) for name in workspace.folded.promoted)


def _window_json(window: Window) -> str:
    """Return the window as JSON, without the facts of digests, which no request shows."""
    items = [_without_hidden_facts(item) for item in window.history.stream]
    rest = replace(window, history=replace(window.history, stream=Stream()))
    return json.encode((rest, items)).decode("utf-8", "replace")


def _without_hidden_facts(value: Any) -> Any:
    """Return a digest, or an edit that makes a digest, without facts; any other value unchanged."""
    if isinstance(value, Digest):
        return replace(value, facts=())
    if isinstance(value, Folded):
        return replace(value, digest=_without_hidden_facts(value.digest), drawn=None)
    return value


def _record_json(record: Record) -> str:
    """Return a record as JSON, without the facts of digests, which no request shows."""
    if isinstance(record, Undone):
        return _window_json(record.window)
    if isinstance(record, Compressed | Renewed):
        record = replace(record, edits=tuple(map(_without_hidden_facts, record.edits)))
    return json.encode(record).decode("utf-8", "replace")


def _text_or_empty(read: Callable[[], str]) -> str:
    """Return `read()`, or "" for a text that cannot be read."""
    # An unreadable text names no page.
    try:
        return read()
    except UNREADABLE as error:
        check_disk(error)
        return ""


def retirement_records(found: CollectedPages) -> Iterator[Sifted]:
    """Yield the records that retire the pages to let go: one for "expired", one for "quota"."""
    left = found.freed
    for why in ("expired", "quota"):
        names = tuple(page.name for page in found.gone if page.why == why)
        if names:
            yield Sifted(names, why, left)
            left = 0  # told once: what comes free does so for both together


def page_kind(name: str) -> str:
    """Return a page's kind, from its name: `outputs/read_0007.txt` → `read`. "" for other names."""
    match = KIND.fullmatch(name)
    return match["kind"] if match else ""


def commit_with_room(
    workspace: Workspace, found: CollectedPages, commit: Callable[[], None]
) -> None:
    """Call `commit()`, which writes the records that let pages go. If the disk is full, delete the
    checkpoint and the largest page that is let go, and call `commit()` again. If the second call
    fails, the page is put back."""
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
