"""What was done to files, in order, and which files pages and entries show: kept, and written down.

`FileDeeds` is what `since` answers from. It is made by the fold, and every row of it is kept as
`fresh` until a checkpoint has it, so that a checkpoint writes what is new. What a question finds
out later (the files a search shows whose page nobody had read) is no row: it is found out again.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct, field

At = tuple[int, int]  # of a deed: its entry, and its place among all
Searched = tuple[str, tuple[str, ...], "Deed"]  # a page nobody read, the files searched, its place


class Deed(Struct, frozen=True, array_like=True, gc=False):
    """One thing done to a file: `at` is its entry and place among all, the others of a reading."""

    at: At
    what: str
    seal: str = ""
    span: str = ""


Files = dict[str, Deed]  # the files a page or an entry shows, as of a deed


class DeedRows(Struct, array_like=True):
    """Rows added to the deeds, in order, and the counters as they stood then."""

    deeds: list[tuple[str, Deed]] = field(default_factory=list)
    shown: list[tuple[str, str, Deed]] = field(default_factory=list)
    unread: list[tuple[str, str, tuple[str, ...], Deed]] = field(default_factory=list)
    count: int = 0
    step: int = 0
    known: int = 0


class FileDeeds:
    """The deeds of each file by its path, and by page or entry the files it shows."""

    def __init__(self) -> None:
        self.deeds: dict[str, list[Deed]] = {}
        self.step, self.known = 0, 0  # the step noted last, and how many facts it had
        self._count = 0
        self._alike: dict[str, list[str]] = {}  # the paths that end in one name
        # By page or entry: paths, each with its deed behind it. There are thousands, of one file
        # mostly, and a dict for each would take four times as much.
        self._shown: dict[str, tuple[Any, ...]] = {}
        self._unread: dict[str, Searched] = {}
        self._fresh = DeedRows()

    def next(self, entry: int) -> At:
        """The place of what an entry does next."""
        self._count += 1
        return entry, self._count

    def add(self, path: str, deed: Deed) -> None:
        """Add a deed to those of a file; one without a word for it is only a place in the order."""
        name = plain(path)
        if deed.what and name:
            self._add(name, deed)
            self._fresh.deeds.append((name, deed))

    def show(self, place: str, path: str, deed: Deed) -> None:
        """Say that a page or an entry shows a file, as of a deed."""
        if place:
            self._show(place, {plain(path): deed})
            self._fresh.shown.append((place, plain(path), deed))

    def search(self, places: Iterable[str], page: str, given: Sequence[str], deed: Deed) -> None:
        """Say that places show what a search found in these files, which its page tells."""
        for place in places:
            self._unread[place] = page, tuple(given), deed
            self._fresh.unread.append((place, page, tuple(given), deed))

    def shows(self, place: str, path: str) -> bool:
        """True when it is known that a page or an entry shows a file."""
        return plain(path) in self._shown.get(place, ())[::2]

    def shown(self, place: str, found: Callable[[str, Sequence[str]], Iterable[str]]) -> Files:
        """The files a page or an entry shows; `found` reads those a search's page tells."""
        if place in self._unread:
            page, given, deed = self._unread.pop(place)
            known = self.known_of(place)
            named = map(plain, found(page, given))
            self._show(place, {path: deed for path in named if path not in known})
        return self.known_of(place)

    def known_of(self, place: str) -> Files:
        """The files a page or an entry shows, without reading any page."""
        held = self._shown.get(place, ())
        return dict(zip(held[::2], held[1::2], strict=True))

    def alike(self, name: str) -> Iterator[str]:
        """The paths that end in the same name as this one."""
        yield from self._alike.get(name.rpartition("/")[2], ())

    @property
    def places(self) -> tuple[dict[str, Files], dict[str, Searched]]:
        """By page or entry the files it shows, and the searches whose pages nobody read."""
        return {place: self.known_of(place) for place in self._shown}, self._unread

    def fresh(self) -> DeedRows:
        """The rows added since `forget_fresh`."""
        self._fresh.count, self._fresh.step, self._fresh.known = self._count, self.step, self.known
        return self._fresh

    def forget_fresh(self) -> None:
        """Forget the rows added so far: a checkpoint holds them."""
        self._fresh = DeedRows()

    def enter(self, rows: DeedRows) -> None:
        """Take in what was written down, in the order it was."""
        for name, deed in rows.deeds:
            self._add(name, deed)
        for place, path, deed in rows.shown:
            self._show(place, {path: deed})
        for place, page, given, deed in rows.unread:
            self._unread[place] = page, given, deed
        self._count, self.step, self.known = rows.count, rows.step, rows.known

    def _show(self, place: str, files: Files) -> None:
        self._shown[place] = (*chain.from_iterable((self.known_of(place) | files).items()),)

    def _add(self, name: str, deed: Deed) -> None:
        if name in self.deeds:
            self.deeds[name].append(deed)
            return
        self._alike.setdefault(name.rpartition("/")[2], []).append(name)
        self.deeds[name] = [deed]  # nearly always the only one


def plain(path: str) -> str:
    """A path in one spelling; "" for none."""
    path = path.strip().replace("\\", "/")
    return posixpath.normpath(path) if path else ""
