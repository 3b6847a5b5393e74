"""Recall: which pages and entries hold what a query asks for, in full as far as there is room.

Theory of operation
-------------------
Nothing is indexed while a session runs. A recall first adds to the index what was committed since
the last one, then asks it. The index holds no text: what is shown is read from pages and journal,
so an index that is stale or spoilt can hide a place, but cannot invent one.

Where it lies. Who holds the workspace's lock keeps it in INDEX beside the journal. Anyone else (a
reader, a store of another kind, a folder that cannot be written) has it in memory, begun from a
copy of that file; what had to go to memory stays there. A file SQLite cannot use, or that says what
cannot be, is deleted and made again, once: so an answer is made whole, texts and all, while the
index it comes from can still be thrown away.

Which journal. The index remembers how many commits it has seen, and a mark of the first and the
last of them; when they are not those of this journal, it starts anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary, finalize

from msgspec import Struct

from loom.engine.archive import places
from loom.engine.archive.units import read, units_of
from loom.engine.archive.workspace import Workspace
from loom.errors import LoomError
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import CHANGED
from loom.search import rank
from loom.search.index import Passage, SearchIndex
from loom.search.matching import holds_all
from loom.search.semantic import Embedder, similar
from loom.search.terms import Terms, asked
from loom_paging import FileStore, PagingError

INDEX = "index.db"
BESIDE = ("", "-journal", "-wal", "-shm")  # what SQLite puts beside a file, by its ending
CANDIDATES = 500  # slices whose neighbours are looked at
WHOLE = 2  # times the score of a passage in which one line holds all that was asked for
BEST = places.PLACES_MAX * places.LINES_MAX  # slices places are named from
Found = TypeVar("Found")
Size = Callable[[str], int]


class Hit(Struct, frozen=True):
    """A slice that holds what was asked for.

    `name` is for page_in; `first` and `last` are lines of what that shows, 0 in the entry of a
    reply, which is shown as JSON. `lines` are the matching ones with their numbers, best first.
    """

    name: str
    first: int
    last: int
    score: float
    lines: tuple[tuple[int, str], ...]


class NoIndex(LoomError):
    """No index can be used, not even a new one in memory."""

    def __init__(self, why: Exception) -> None:
        super().__init__(
            f"recall: no index can be used, not even a new one in memory ({why}); nothing is lost:"
            " page_in still brings back what the window names"
        )


class _Kept:
    """What is kept of a workspace between recalls."""

    def __init__(self) -> None:
        self.index: SearchIndex | None = None  # in memory
        self.lost: dict[str, None] = {}  # what could not be read when it was to be indexed
        self.embedder: Embedder | None = None


_KEPT: WeakKeyDictionary[Workspace, _Kept] = WeakKeyDictionary()


def attach(workspace: Workspace, embedder: Embedder | None) -> None:
    """Let recalls of a workspace score by meaning too; with None, no longer."""
    _kept(workspace).embedder = embedder


def attached(workspace: Workspace) -> Embedder | None:
    """The embedder recalls of a workspace use."""
    return _kept(workspace).embedder


def _kept(workspace: Workspace) -> _Kept:
    return _KEPT.setdefault(workspace, _Kept())


def search(workspace: Workspace, query: str, k: int) -> list[Hit]:
    """The best slices for a query, best first, at most `k`."""
    wanted = asked(query)

    def hits(index: SearchIndex) -> list[Hit]:
        made = []
        for unit, text, score in _best(workspace, index, query, wanted, k):
            if not text:
                continue
            lines = tuple(places.lines_of(unit, text, wanted))
            span = (unit.first, unit.last) if places.numbered(unit) else (0, 0)
            made.append(Hit(unit.name, *span, score, lines))
        return made

    return _with_index(workspace, hits)


def recall(workspace: Workspace, query: str, limit: int, size: Size = len) -> tuple[str, int]:
    """The best passages, then names of others: (at most `limit` as `size` counts, places).

    The one with the highest score leads, where one line holds all words of the query before where
    they stand apart; the others come by score for the room they take; what stands beside a good one
    comes with it when there is room.
    """
    wanted = asked(query)
    if not (wanted.words or wanted.names):
        return places.NO_WORDS, 0

    def told(index: SearchIndex) -> tuple[str, int]:
        texts = _PassageTexts(workspace)
        scores = _scores(workspace, index, query, wanted, CANDIDATES)
        for id, unit in index.units(rank.newest_first(scores)[:BEST]).items():
            scores[id] *= WHOLE if holds_all(texts(unit), wanted) else 1
        near = index.beside(scores)
        named = list(index.units(rank.newest_first(scores)[:BEST]).values())
        others = rank.worth(rank.beside(scores, near), near)
        ordered = [*named[:1], *(unit for unit in others if unit not in named[:1])]
        found = places.RankedPassages(ordered, named, wanted, partial(_since, workspace))
        text, shown = places.passages(found, texts, limit, size)
        note = _unsearched(workspace, texts.lost)
        if note:
            room = places.beside(note, limit, size)
            text, shown = places.passages(found, texts, room, size)
        return places.noted(text or places.nothing(query, limit), note, limit, size), shown

    return _with_index(workspace, told)


class _PassageTexts:
    """The texts of passages, each read once and shown without the session's mark.

    `lost` names those that cannot be read.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.lost: dict[str, None] = {}
        self._workspace = workspace
        self._held: dict[int, str] = {}

    def __call__(self, unit: Passage) -> str:
        """The text of a passage, "" when it cannot be read."""
        if unit.id not in self._held:
            mark = self._workspace.window.config.mark
            self._held[unit.id] = neutral(read(self._workspace, unit), mark)
            if not self._held[unit.id]:
                self.lost[unit.name] = None
        return self._held[unit.id]


def _since(workspace: Workspace, name: str) -> str:
    """The words behind the name of a place whose file was changed, or may have been."""
    steps = workspace.index.since.steps(name, workspace.read)
    more = "…, " if len(steps) > places.STEPS_MAX else ""
    said = more + ", ".join(steps[-places.STEPS_MAX :])
    return CHANGED.format(mark=workspace.window.config.mark, steps=said) if steps else ""


def _unsearched(workspace: Workspace, lost: Iterable[str]) -> str:
    """The line about places that could not be read; "" when all could."""
    return places.unsearched(dict.fromkeys((*lost, *_kept(workspace).lost)))


def _best(
    workspace: Workspace, index: SearchIndex, query: str, wanted: Terms, most: int
) -> Iterator[tuple[Passage, str, float]]:
    """The best units, their texts and scores, each read when it is asked for; a text that cannot
    be read is ""."""
    scores = _scores(workspace, index, query, wanted, most)
    for id, unit in index.units(rank.newest_first(scores)[:most]).items():
        yield unit, read(workspace, unit), scores[id]


def _scores(
    workspace: Workspace, index: SearchIndex, query: str, wanted: Terms, most: int
) -> dict[int, float]:
    """Scores by unit: bm25, and where an embedder is attached the sum of it and the cosine."""
    embedder = attached(workspace)
    if embedder is None:
        return index.scores(wanted, most)
    near = similar(index, embedder, query, lambda unit: read(workspace, unit))
    both = rank.summed(index.scores(wanted, CANDIDATES), near)
    return {id: both[id] for id in rank.newest_first(both)[:most]}


def _with_index(workspace: Workspace, use: Callable[[SearchIndex], Found]) -> Found:
    """The value `use` returns for an index that is up to date. Raises NoIndex."""
    for index in _indexes(workspace):
        with suppress(sqlite3.Error), index:
            catch_up(workspace, index)
            return use(index)
    for copied in (_place(workspace), None):  # it may be the copy of a spoilt file
        try:
            index = _in_memory(workspace, copied)
            catch_up(workspace, index)
            return use(index)
        except sqlite3.Error as error:
            _drop(_kept(workspace))
            failed = error
    raise NoIndex(failed) from failed


def _indexes(workspace: Workspace) -> Iterator[SearchIndex]:
    """The index on disk, then what is made in its place when it cannot be used."""
    path = _place(workspace)
    if path is None or workspace._lock is None or _kept(workspace).index is not None:
        return
    for renewed in (False, True):
        with suppress(sqlite3.Error, OSError):
            for end in BESIDE if renewed else ():
                path.with_name(INDEX + end).unlink(missing_ok=True)
            yield SearchIndex.at(path)


def _drop(kept: _Kept) -> None:
    if kept.index is not None:
        kept.index.close()
        kept.index = None


def _place(workspace: Workspace) -> Path | None:
    store = workspace.store
    return store.root / INDEX if isinstance(store, FileStore) else None


def _in_memory(workspace: Workspace, copied: Path | None) -> SearchIndex:
    kept = _kept(workspace)
    if kept.index is None:
        kept.index = SearchIndex.in_memory(copied)
        finalize(workspace, kept.index.close)
    return kept.index


def catch_up(workspace: Workspace, index: SearchIndex) -> int:
    """Add what was committed since to the index; returns how many slices that were."""
    done, mark = index.state
    if not 0 <= done <= workspace.commits or mark != _mark(workspace, done):
        index.clear()
        done = 0
    before = index.added
    if done < workspace.commits:
        lost, numbers = _kept(workspace).lost, range(done + 1, workspace.commits + 1)
        fresh = (units_of(workspace, number, lost) for number in numbers)
        last = workspace.commits
        index.add(chain.from_iterable(fresh), last, _mark(workspace, last))
    return index.added - before


def _mark(workspace: Workspace, done: int) -> str:
    """A digest that tells a journal of `done` commits from others: of its first and last."""
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
