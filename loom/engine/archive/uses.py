"""When each page was last of use, and which entry it is of; made by the fold of the journal.

A page is used when a commit names it, when it or its entry is paged in, and when lines of it are
read ahead. So its age is told without reading the journal again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from loom_partitions.message import Said, Step, Text
from loom_partitions.records import (
    Belated,
    Enclosed,
    Expanded,
    Faulted,
    Heard,
    Prefetched,
    Record,
    Replied,
    Returned,
)


class UseRows(Struct, array_like=True):
    """What was added to the uses of pages, in order."""

    named: list[tuple[str, int, int]] = field(default_factory=list)  # page, commit, milliseconds
    asked: list[tuple[str, int, int]] = field(default_factory=list)  # page or entry, …
    entries: list[tuple[int, str]] = field(default_factory=list)  # entry, page of it
    typed: list[str] = field(default_factory=list)


class PageUses:
    """By page: the commit of its last use and when that was, and the last entry that named it; by
    entry: its pages.

    `typed` are the pages of what the user gave, whatever kind they are.
    """

    def __init__(self) -> None:
        self.last: dict[str, tuple[int, int]] = {}
        self.entries: dict[int, tuple[str, ...]] = {}
        self.entry_of: dict[str, int] = {}
        self.typed: dict[str, None] = {}
        self._fresh = UseRows()

    def note(self, number: int, at: int, records: Iterable[Record], pages: Iterable[str]) -> None:
        """Take in a commit, which names these pages."""
        rows = UseRows([(page, number, at) for page in pages])
        for record in records:
            rows.asked += [(ref, number, at) for ref in _asked(record)]
            entry, texts = _made(record)
            own = [page for page in dict.fromkeys(texts) if page]
            rows.entries += [(entry, page) for page in own]
            rows.named += [(page, number, at) for page in own if page in self.entry_of]
            if isinstance(record, Heard) and not record.turn.voice and record.turn.text.page:
                rows.typed.append(record.turn.text.page)
        self.enter(rows)
        for name in UseRows.__struct_fields__:
            getattr(self._fresh, name).extend(getattr(rows, name))

    def fresh(self) -> UseRows:
        """What was noted since `forget_fresh`."""
        return self._fresh

    def forget_fresh(self) -> None:
        """Forget what was noted so far: a checkpoint holds it."""
        self._fresh = UseRows()

    def enter(self, rows: UseRows) -> None:
        """Take in what was written down, in the order it was."""
        for entry, page in rows.entries:
            self.entry_of[page] = entry
            held = self.entries.get(entry, ())
            if page not in held:
                self.entries[entry] = (*held, page)
        self.typed.update(dict.fromkeys(rows.typed))
        # A commit names a page before anything can ask for it.
        for page, number, at in rows.named:
            self._used(page, number, at)
        for ref, number, at in rows.asked:
            for page in self.of(ref):
                self._used(page, number, at)

    def of(self, ref: str) -> Sequence[str]:
        """The pages of a page's name, or of an entry's (`step_0007`, `history/step_0007.json`)."""
        if ref in self.last:
            return (ref,)
        kind, _, number = ref.rpartition("/")[2].partition(".")[0].rpartition("_")
        return self.entries.get(int(number), ()) if kind in ENTRIES and number.isdecimal() else ()

    def _used(self, page: str, number: int, at: int) -> None:
        known = self.last.get(page, (0, 0))
        self.last[page] = max(known[0], number), max(known[1], at)


ENTRIES = ("step", "user")


def _asked(record: Record) -> Iterator[str]:
    """What a record brings back, by name."""
    if isinstance(record, Faulted):
        yield record.ref
    elif isinstance(record, Enclosed):
        yield record.paged.ref
    elif isinstance(record, Prefetched):
        yield record.turn.source
    elif isinstance(record, Expanded) and record.text.page:
        yield record.text.page


def _made(record: Record) -> tuple[int, Sequence[str]]:
    """The entry a record makes or adds to, and the pages it brings."""
    made = MADE.get(type(record))
    return made(record) if made is not None else (0, ())


def _turn(record: Heard | Belated | Prefetched) -> tuple[int, Sequence[str]]:
    return record.turn.id, (record.turn.text.page,)


def _step(record: Replied) -> tuple[int, Sequence[str]]:
    return record.step.id, (record.step.page, *map(_page, _said(record.step)))


def _returned(record: Returned) -> tuple[int, Sequence[str]]:
    outcome = record.outcome
    return record.step, (outcome.text.page, outcome.reduction.outcome_ref or "")


def _said(step: Step) -> Iterator[Text]:
    return (part.text for part in step.parts if isinstance(part, Said))


def _page(text: Text) -> str:
    return text.page


MADE: dict[type, Callable[[Any], tuple[int, Sequence[str]]]] = {
    Heard: _turn,
    Belated: _turn,
    Prefetched: _turn,
    Replied: _step,
    Returned: _returned,
}
