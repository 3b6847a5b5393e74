"""What befell a file after a page of it was made: said beside the page, never in it.

Theory of operation
-------------------
A page is exact for good, and so soon out of date: it shows a file as it was when it was read. What
brings it back says so. The index that is rebuilt while the journal is read keeps, by file, what was
done to it in the order it was done, and by page which file it shows. So an answer is a look at one
file's own list, however long the journal is.

A later reading of the same lines that gave the same bytes makes the page as new as that reading;
one that gave other bytes is a change nobody was told of. What a command changed without naming it
(`black .`, `git pull`) is not known before the file is read again.

Two names are the same file when they are equal, or one is absolute and ends with the other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from sys import intern

from msgspec import json

from loom.engine.archive.deeds import Deed, FileDeeds
from loom.lazy import lazy_re
from loom.providers.render.neutral import neutral
from loom.reduce.aliases import READ, SEARCH, SHELL
from loom.reduce.commands import parsed
from loom.reduce.deeds import LOST, TOUCHED
from loom.reduce.files import RANGE_KEYS
from loom.reduce.located import located, looks, searched_by, shown_by
from loom.reduce.verdict import failed
from loom.text import cut_front, one_line
from loom_paging import PagingError
from loom_partitions.message import Fact, Outcome
from loom_partitions.records import Belated, Record, Returned

Seal = Callable[[str], str]  # by the name of a page what tells its bytes from any others

HITS = 64  # files one search is known to show lines of
NAMED = 3  # entries named for one kind of change, and files of one entry
KINDS = 5  # kinds of change told
PATH = 80  # characters of a path shown
SHORT = 400  # characters: so short an answer to a reading may be "unchanged since the last"
UNCHANGED = lazy_re(r"\bunchanged\b|\bnot (?:been )?(?:changed|modified)\b", re.I)
ABSOLUTE = lazy_re(r"/|~|[A-Za-z]:/")
STEM = lazy_re(r"^(?:.*/)?([a-z]+_\d+)(?:\.\w+)*$")
INTO = lazy_re(r"(?<![0-9&>=-])>{1,2}(?!&)")  # what was printed went elsewhere
CHANGES = {"edit": "edited", "write": "written"}
AGAIN = "read again with other content"
NOTE = "exact as of {step}; since then: {changes}"


class Since:
    """The changes of each file, and the files a page shows; made again with the journal."""

    def __init__(self) -> None:
        self.files = FileDeeds()

    def note(self, record: Record, seal: Seal) -> None:
        """Take in a record: only results tell of files. `seal` tells a page's bytes from others."""
        if isinstance(record, Returned):
            known = self.files.known if record.step == self.files.step else 0
            self.files.step, self.files.known = record.step, len(record.facts)
            fresh = record.facts[known:]
            self._take(fresh, record.step)
            if not record.outcome.error:
                self._show(fresh, record.outcome, record.step, seal)
        elif isinstance(record, Belated):
            # It was made somewhere after its call, nobody knows when: so right after it.
            asked = int(stem(record.turn.source).rpartition("_")[2] or record.turn.id)
            self._take(record.turn.facts, record.turn.id)
            for fact in record.turn.facts:
                if fact.kind == "read":
                    self._mark(
                        fact.refs or record.turn.text.page, fact.text, Deed((asked, 0), READ)
                    )

    def _take(self, facts: Iterable[Fact], entry: int) -> None:
        """Take in what the facts of an entry say was done to files."""
        for fact in facts:
            if fact.kind in CHANGES:
                did = fact.came if fact.came == TOUCHED else CHANGES[fact.kind]
                self._add(fact.text, entry, f"may have been {did}" if fact.came == LOST else did)

    def _show(self, facts: Sequence[Fact], outcome: Outcome, step: int, seal: Seal) -> None:
        """Remember which files a result shows, and where that rests."""
        tool, body = outcome.reduction.tool, outcome.text.body or ""
        what, span = READ, ""
        if tool == SHELL:
            ran = [fact.text for fact in facts if fact.kind == "ran" and not failed(fact.came)]
            told = [line for line in ran if not INTO.search(line)]
            paths = [path for line in told for path in shown_by(parsed(line))]
            self._find([searched_by(parsed(line)) for line in told], outcome, step)
            span = f"$ {' '.join(ran)}"
        elif tool == READ:
            paths = [fact.text for fact in facts if fact.kind == "read" and fact.came != LOST]
            span = str([outcome.reduction.minimal_args.get(key) for key in RANGE_KEYS])
            if not outcome.text.page and len(body) < SHORT and UNCHANGED.search(body):
                return
        elif tool == SEARCH:
            arguments = json.encode(outcome.reduction.minimal_args).decode()
            self._find([looks(tool, arguments)], outcome, step)
            return
        else:
            paths, what = [fact.text for fact in facts if fact.kind == "write"], ""
        page = outcome.reduction.outcome_ref or outcome.text.page
        held = seal(page) if page else _sealed(body)
        for path in dict.fromkeys(paths):
            deed = self._add(path, step, what, held, span)
            # Of a write the call shows the file, not its result.
            for place in (page if what else "", f"step_{step:04d}"):
                self._mark(place, path, deed)

    def _find(self, asked: Iterable[Sequence[str] | None], outcome: Outcome, step: int) -> None:
        """Remember the files of which a search shows lines.

        `asked` are those each search was asked of, None for what was none.
        """
        searches = [paths for paths in asked if paths is not None]
        if not searches:
            return
        given = [path for paths in searches for path in paths]
        deed = Deed(self.files.next(step), "")
        page = outcome.reduction.outcome_ref or outcome.text.page
        places = [stem(place) for place in (page, f"step_{step:04d}") if place]
        if not page:
            self._place(places, given, outcome.text.body or "", deed)
        else:
            self.files.search(places, page, given, deed)

    def _place(self, places: Iterable[str], given: Sequence[str], text: str, deed: Deed) -> None:
        """Remember which files the text of a search shows."""
        found = _found(text, given)
        for place in places:
            for path in found:
                if not self.files.shows(place, path):
                    self.files.show(place, path, deed)

    def _shown(self, ref: str, read: Callable[[str], str] | None) -> dict[str, Deed]:
        """The files a page or an entry shows; a search's page is read when it is asked for."""
        if read is None:
            return self.files.known_of(stem(ref))

        def found(page: str, given: Sequence[str]) -> Iterable[str]:
            with suppress(PagingError, OSError):  # a page that is gone shows no file
                return _found(read(page), given)
            return ()

        return self.files.shown(stem(ref), found)

    def _mark(self, place: str, path: str, deed: Deed) -> None:
        self.files.show(stem(place) if place else "", path, deed)

    def _add(self, path: str, entry: int, what: str, seal: str = "", span: str = "") -> Deed:
        """Add a deed to those of a file; without a word for it, it is only a place in the order."""
        deed = Deed(self.files.next(entry), what, seal, intern(span))  # most say the same
        self.files.add(path, deed)
        return deed

    def of(self, ref: str, mark: str = "", read: Callable[[str], str] | None = None) -> str:
        """The note of what befell the files a page or an entry shows, since it did; "" for nothing.

        Paths and commands in it are shown without the session's `mark`; `read` gives the text of a
        page, and without it what rests there is not known.
        """
        shown = self._shown(ref, read)
        said = []
        for name, deed in shown.items():
            entry, changes = self._changes(name, deed)
            if changes:
                told = NOTE.format(step=f"step_{entry:04d}", changes=_told(changes))
                said.append(f"{_path(name)}: {told}" if len(shown) > 1 else told)
        more = [f"so are {len(said) - NAMED} more files of it"] if len(said) > NAMED else []
        return neutral("; ".join([*said[:NAMED], *more]), mark)

    def steps(self, ref: str, read: Callable[[str], str] | None = None) -> list[str]:
        """The entries that changed what a page or an entry shows."""
        shown = self._shown(ref, read)
        found = {entry for one in shown.items() for _, entry in self._changes(*one)[1]}
        return [f"step_{entry:04d}" for entry in sorted(found)]

    def _changes(self, name: str, first: Deed) -> tuple[int, list[tuple[str, int]]]:
        """(the entry it is exact as of, what was done since and in which entry)."""
        deeds = self.files.deeds
        same = [(deed, path) for path in self._same(name) for deed in _after(deeds[path], first)]
        as_of = first
        since: list[tuple[str, int]] = []
        for deed, path in sorted(same, key=lambda one: one[0].at):
            if deed.what != READ:
                said = deed.what if path == name else f"{deed.what} as {_path(path)}"
                since.append((said, deed.at[0]))
            elif first.what == READ and deed.span == first.span:
                if deed.seal == first.seal:
                    as_of, since = deed, []
                elif not since:  # behind a known change it says no more
                    since.append((AGAIN, deed.at[0]))
        return as_of.at[0], since

    def _same(self, name: str) -> Iterator[str]:
        """The paths known of a file."""
        for path in self.files.alike(name):
            if path == name or _ends_with(path, name) or _ends_with(name, path):
                yield path


def _sealed(text: str) -> str:
    """The seal of a text that is on no page."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _found(text: str, given: Sequence[str]) -> list[str]:
    """The first files of which the text of a search shows lines."""
    return [*dict.fromkeys(path for _, path, _ in located(text.split("\n"), given))][:HITS]


def _after(deeds: Sequence[Deed], first: Deed) -> Sequence[Deed]:
    """Those that came after one; they stand in order."""
    return deeds[bisect_right(deeds, first.at, key=lambda one: one.at) :]


def _told(changes: Iterable[tuple[str, int]]) -> str:
    """Kinds of change, each with the entries it was made in."""
    kinds: dict[str, dict[int, None]] = {}
    for what, entry in changes:
        kinds.setdefault(what, {})[entry] = None
    said = []
    for what, entries in kinds.items():
        names = [f"step_{entry:04d}" for entry in entries]
        many = len(names) > NAMED
        said.append(
            f"{what} ×{len(names)} (last {names[-1]})" if many else f"{what} ({', '.join(names)})"
        )
    more = [f"and {len(said) - KINDS} more"] if len(said) > KINDS else []
    return ", ".join([*said[-KINDS:], *more])


def stem(ref: str) -> str:
    """The name of a page or an entry without folder and ending: `read_0007`, `step_0012`."""
    found = STEM.match(ref.strip())
    return found[1] if found else ref


def _ends_with(path: str, name: str) -> bool:
    """True for an absolute path that ends with a relative one."""
    absolute = ABSOLUTE.match(path) and not ABSOLUTE.match(name)
    return bool(absolute) and path.endswith(f"/{name}")


def _path(name: str) -> str:
    return cut_front(one_line(name, 4 * PATH), PATH)
