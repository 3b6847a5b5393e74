"""When each page was last of use, and which entry it is of; made by the fold of the journal.

A page is used when a commit names it, when it or its entry is paged in, and when lines of it are
read ahead. So its age is told without reading the journal again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct, field

from loom.session.archive.index import entry_of
from loom_partitions.message import Said
from loom_partitions.records import (
    Brought,
    Faulted,
    Heard,
    Record,
    Replied,
    Returned,
)

ENTRIES = ("step", "user")


class UseRows(Struct, array_like=True):
    """The rows added to the uses of pages, in order."""

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
        self.fresh = UseRows()  # what no checkpoint holds yet

    def note(self, number: int, at: int, records: Iterable[Record], pages: Iterable[str]) -> None:
        """Take in a commit, which names these pages."""
        rows = UseRows([(page, number, at) for page in pages])
        for record in records:
            if ref := _asked(record):
                rows.asked.append((ref, number, at))
            own = [page for page in dict.fromkeys(_made(record)) if page]
            rows.entries += [(entry_of(record), page) for page in own]
            rows.named += [(page, number, at) for page in own if page in self.entry_of]
            if isinstance(record, Heard) and not (record.turn.voice or record.call):
                rows.typed += own
        self.enter(rows)
        for name in UseRows.__struct_fields__:
            getattr(self.fresh, name).extend(getattr(rows, name))

    def enter(self, rows: UseRows) -> None:
        """Take in what was written down, in the order it was."""
        for entry, page in rows.entries:
            self.entry_of[page] = entry
            held = self.entries.get(entry, ())
            if page not in held:
                self.entries[entry] = (*held, page)
        self.typed.update(dict.fromkeys(rows.typed))
        # A commit names a page before anything can ask for it.
        asked = ((page, number, at) for ref, number, at in rows.asked for page in self.of(ref))
        for page, number, at in chain(rows.named, asked):
            known = self.last.get(page, (0, 0))
            self.last[page] = max(known[0], number), max(known[1], at)

    def of(self, ref: str) -> Sequence[str]:
        """The pages of a page's name, or of an entry's (`step_0007`, `history/step_0007.json`)."""
        if ref in self.last:
            return (ref,)
        kind, _, number = ref.rpartition("/")[2].partition(".")[0].rpartition("_")
        return self.entries.get(int(number), ()) if kind in ENTRIES and number.isdecimal() else ()


def _asked(record: Record) -> str:
    """The name of the page a record brings back; "" for none."""
    if isinstance(record, Faulted):
        return record.ref
    return record.ref if isinstance(record, Brought) else ""


def _made(record: Record) -> Iterable[str]:
    """The pages an entry that a record makes or adds to has from it; "" among them."""
    if isinstance(record, Heard | Brought):
        return (record.turn.text.page,) if record.turn else ()
    if isinstance(record, Replied):
        said = (part.text.page for part in record.step.parts if isinstance(part, Said))
        return (record.step.page, *said)
    if isinstance(record, Returned):
        return (record.outcome.text.page, record.outcome.reduction.outcome_ref or "")
    return ()
