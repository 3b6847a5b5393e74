"""The search index of a workspace: where it lies, and how it keeps up with the journal.

Theory of operation. The process that holds the workspace's lock keeps the index in the file INDEX
beside the journal. Any other user (a reader, a store that is no folder, a folder that cannot be
written) has an index in memory, begun as a copy of that file, and stays with it. A file that SQLite
cannot use, or whose content is impossible, is deleted and made again, once. So an answer is made
with all its texts while its index is open: the index can still be thrown away then.

Which journal. The index stores how many commits it has seen, and a hash of the first and the last
of them. When this journal has another hash, the index starts anew.

Keeping up. A recall adds the commits since the last recall, at most MOST: the caller waits for it,
with the context's lock held. In a long session the end of a segment of the journal adds as many,
once LAG commits are not indexed. A shorter session has no index before its first recall."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary, finalize

from msgspec import MsgspecError

from loom.errors import LoomError
from loom.search.index import SearchIndex
from loom.search.semantic import Embedder
from loom.session.archive.restore import entry_as_arrived
from loom.session.archive.searched_units import commit_units
from loom.session.archive.workspace import Workspace
from loom_paging import FileStore, PagingError
from loom_partitions.message import name_of

INDEX = "index.db"
BESIDE = ("", "-journal", "-wal", "-shm")  # what SQLite puts beside a file, by its ending
MOST = 2_000  # commits added at once: about a second
LAG = 2_000  # commits not indexed at which they are added without a recall
Found = TypeVar("Found")


class RecallIndexState:
    """What is remembered about a workspace's search index between recalls. `index` is the index in
    memory, None if the index is on disk."""

    def __init__(self) -> None:
        self.index: SearchIndex | None = None  # in memory
        self.lost: dict[str, None] = {}  # what could not be read when it was to be indexed
        self.embedder: Embedder | None = None  # with it recalls score by meaning too
        self.done = 0  # commits known to be indexed
        self.searched = 0  # commits that were indexed when it was asked last


_KEPT: WeakKeyDictionary[Workspace, RecallIndexState] = WeakKeyDictionary()


def index_state(workspace: Workspace) -> RecallIndexState:
    """Return the state of a workspace's search index. Every call returns the same object."""
    return _KEPT.setdefault(workspace, RecallIndexState())


def last_searched_entry(workspace: Workspace) -> str:
    """Return the last indexed entry's name; "the beginning" before any; "" if all are indexed."""
    done, commits = index_state(workspace).searched, workspace.index.commits
    if index_state(workspace).index is not None or done >= workspace.commits:
        return ""
    entry = next((one for one in reversed(commits) if commits[one][0] <= done), 0)
    return name_of(entry_as_arrived(workspace, entry)) if entry else "the beginning"


def catch_up_long_session(workspace: Workspace) -> None:
    """Index the newest commits if at least LAG are not indexed yet."""
    kept = index_state(workspace)
    if workspace.commits - kept.done < LAG:
        return
    # The index is derived: whatever fails here, a recall meets again and tells of.
    with suppress(OSError, PagingError, LoomError, MsgspecError):
        for index in _disk_indexes(workspace):
            with suppress(sqlite3.Error), index:
                catch_up(workspace, index, MOST)
                kept.done = index.state[0]
                return


def use_index(workspace: Workspace, use: Callable[[SearchIndex], Found]) -> Found:
    """Return `use(index)`, with new commits added to the index first. Raises LoomError when no
    index can be made."""
    kept = index_state(workspace)
    for index in _disk_indexes(workspace):
        with suppress(sqlite3.Error), index:
            catch_up(workspace, index, MOST)
            kept.done = kept.searched = index.state[0]
            return use(index)
    for copied in (_index_path(workspace), None):  # it may be the copy of a spoilt file
        try:
            if kept.index is None:
                kept.index = SearchIndex.in_memory(copied)
                finalize(workspace, kept.index.close)
            catch_up(workspace, kept.index)
            return use(kept.index)
        except sqlite3.Error as error:
            if kept.index is not None:
                kept.index.close()
                kept.index = None
            failed = error
    raise LoomError(
        f"recall: no index can be used, not even a new one in memory ({failed}); nothing is lost:"
        " page_in still brings back what the window names"
    ) from failed


def _disk_indexes(workspace: Workspace) -> Iterator[SearchIndex]:
    """Yield the index on disk, then, after deleting its file, a new, empty index. Yield nothing
    without the workspace's lock or while the index is in memory."""
    path = _index_path(workspace)
    if path is None or workspace._lock is None or index_state(workspace).index is not None:
        return
    for renewed in (False, True):
        with suppress(sqlite3.Error, OSError):
            for end in BESIDE if renewed else ():
                path.with_name(INDEX + end).unlink(missing_ok=True)
            yield SearchIndex.at(path)


def _index_path(workspace: Workspace) -> Path | None:
    """Return the path of the index file; None for a store that is not a folder."""
    store = workspace.store
    return store.root / INDEX if isinstance(store, FileStore) else None


def catch_up(workspace: Workspace, index: SearchIndex, most: int | None = None) -> int:
    """Index at most `most` of the oldest commits that are not indexed yet (None: all). Return the
    number of slices added."""
    done, mark = index.state
    if not 0 <= done <= workspace.commits or mark != _journal_mark(workspace, done):
        index.clear()
        done = 0
    before = index.added
    if done < workspace.commits:
        last = workspace.commits if most is None else min(done + most, workspace.commits)
        lost, numbers = index_state(workspace).lost, range(done + 1, last + 1)
        fresh = (commit_units(workspace, number, lost) for number in numbers)
        index.add(chain.from_iterable(fresh), last, _journal_mark(workspace, last), after=done)
    return index.added - before


def _journal_mark(workspace: Workspace, done: int) -> str:
    """Return a hash of commit 1 and commit `done`, which identifies an index's journal."""
    if not done:
        return ""
    digest = sha256()
    for number in (1, done):
        try:
            commit = workspace.journal.read(number)
            digest.update(f"{commit.at} {len(commit.records)} ".encode() + bytes(commit.records))
        except PagingError as error:
            digest.update(type(error).__name__.encode())
    return digest.hexdigest()
