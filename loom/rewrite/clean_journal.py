"""A journal without secrets: every line that changes written anew, in its place, under its number.

Hashes of what held a secret leave too, of requests and of the partitions a cut protected: whoever
has the rest of that could try values with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from loom.capabilities.agents.result import digest
from loom.engine.archive.decode import encoded, records_of, retired_by
from loom.engine.snapshots.document import Snapshot, written
from loom.engine.snapshots.document import read as snapshot_of
from loom.errors import BadInput
from loom.rewrite.cleaning import Cleaning, Renewals
from loom.rewrite.secrets import Secrets
from loom_paging import Commit, CorruptJournal, FileStore, Journal
from loom_paging.line import decode, encode
from loom_paging.segments import lines, segment_name
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.migrations import SCHEMA
from loom_partitions.window import Window, apply

LAWS = (laws.paired, laws.ordered, laws.counted)
HASHED = (b'"Turned"', b'"protected"')  # what a line has whose hashes are to be forgotten


class CleanLine(Struct):
    """A line as it was, its commit, and the records it has now, None where they are the same."""

    segment: str
    line: bytes
    commit: Commit
    records: Sequence[r.Record] | None

    def now(self) -> Sequence[r.Record]:
        """Return the records of the line after cleaning, those of its commit where none changed."""
        return records_of(self.commit) if self.records is None else self.records


class CleanJournal:
    """The journal of the workspace at `folder`, its records cleaned; `pages` are its new pages, by
    name; `found(segment, where)` is told of each place, whose counts `secrets` has."""

    def __init__(
        self,
        folder: Path,
        pages: dict[str, bytes],
        secrets: Secrets,
        renewals: Renewals,
        found: Callable[[str, str], None],
    ) -> None:
        self._store = FileStore(folder, durable=False, create=False)
        self._pages, self._secrets, self._new = pages, secrets, renewals
        changed = (*renewals.hashes, *renewals.names, *(f'"{name}"' for name in pages))
        self._stale = [one.encode() for one in changed]
        self._lines: list[CleanLine] = []
        journal = Journal.open(self._store, write=False, retired=retired_by)
        self._clean = Cleaning(secrets, renewals, self._paged)
        self._segments = list(journal.segments)
        self._torn = bool(journal.torn)
        for segment in self._segments:
            self._read(segment, journal.last, found)
        broken = _broken(line.now() for line in self._lines)
        if broken and not _broken(records_of(line.commit) for line in self._lines):
            raise BadInput(f"the journal would fold to no lawful window: {broken[0]}")

    def snapshot(self, name: str, data: bytes) -> bytes:
        """A snapshot without secrets."""
        try:
            made = snapshot_of(data, name)
        except BadInput:
            return self._secrets.data(data)
        new = self._clean(made)
        if new == made:
            return data
        return written(new) if isinstance(new, Snapshot) else json.encode(new)

    def written(self, purged: r.Purged | None, at: int) -> dict[str, bytes]:
        """The segments that change, whole, with a last commit that says what was purged."""
        made = {name: bytearray() for name in self._segments or [segment_name(1)]}
        changed = {self._segments[-1]} if self._torn else set()
        forget = purged is not None or any(each.records is not None for each in self._lines)
        for each in self._lines:
            line = self._line(each, forget=forget)
            made[each.segment] += line
            if line != each.line:
                changed.add(each.segment)
        if purged is not None:
            last = list(made)[-1]
            number = self._lines[-1].commit.number + 1 if self._lines else 1
            made[last] += encode(number, at, (), encoded([purged]), SCHEMA)
            changed.add(last)
        return {name: bytes(made[name]) for name in made if name in changed}

    def _read(self, segment: str, last: int, found: Callable[[str, str], None]) -> None:
        """Clean the lines of a segment."""
        of_segment = lines(self._store, segment)
        for _, line in of_segment:
            commit = None
            with suppress(CorruptJournal):
                commit = decode(line)
            if commit is None or commit.number > last:  # a torn end, which nobody was told of: gone
                self._secrets.data(b"".join((line, *(later for _, later in of_segment))))
                found(segment, "torn end")
                return
            records = records_of(commit)
            changed = records
            if self._secrets.touch(line) or any(old in line for old in self._stale):
                changed = []
                for record in records:
                    changed.append(self._clean(record))
                    found(segment, f"commit {commit.number} {type(record).__name__}")
            new = None if changed == records else changed
            self._lines.append(CleanLine(segment, line, commit, new))

    def _paged(self, name: str) -> bool | None:
        """Whether a page that changed became a text; None for one that is as it was."""
        if name not in self._pages:
            return None
        return digest(self._store.get(name)) in self._new.standins

    def _line(self, each: CleanLine, *, forget: bool) -> bytes:
        """A line as it is now; its hashes are to be forgotten, or not."""
        commit, records, hashes = each.commit, each.records, self._new.hashes
        if forget and any(name in each.line for name in HASHED):
            bare = [*map(_unhashed, each.now())]
            records = bare if bare != each.now() else records
        pages = tuple(
            replace(ref, sha256=new[0], size=new[1]) if (new := hashes.get(ref.sha256)) else ref
            for ref in commit.pages
        )
        if pages == commit.pages and records is None:
            return each.line
        data = bytes(commit.records) if records is None else encoded(records)
        schema = commit.schema if records is None else SCHEMA
        return encode(commit.number, commit.at, pages, data, schema)


def _unhashed(record: r.Record) -> r.Record:
    """A record without the sha256 of a request, or those of the partitions at a cut."""
    if isinstance(record, r.Turned):
        return replace(record, sha256="")
    if isinstance(record, r.Compressed | r.Renewed):
        return replace(record, certificate=replace(record.certificate, protected={}))
    return record


def _broken(commits: Iterable[Sequence[r.Record]]) -> list[str]:
    """What laws the window breaks that records fold to."""
    window = Window()
    for record in chain.from_iterable(commits):
        window = apply(window, record)
    return [what for law in LAWS for what in law(window)]
