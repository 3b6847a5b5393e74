"""A journal without secrets: every line that changes written anew, in its place, under its number.

The old and the new records are folded side by side, so that the certificates of cuts say what the
new window holds, and the snapshots can be given C_working as it folds now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from loom.capabilities.agents.result import digest
from loom.errors import BadInput
from loom.providers.counts import counter_for
from loom.rewrite.cleaning import Cleaning, Renewals
from loom.rewrite.secrets import Secrets
from loom.session.archive.document import Snapshot, written
from loom.session.archive.document import read as snapshot_of
from loom.session.archive.folded import encoded, records_of
from loom.session.archive.index import entry_of
from loom.text import printable
from loom_paging import Commit, CorruptJournal, FileStore, Journal
from loom_paging.line import decode, encode
from loom_paging.segments import lines, segment_name
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.migrations import SCHEMA
from loom_partitions.window import Window, apply
from loom_partitions.working import Working

LAWS = (laws.paired, laws.ordered, laws.counted)


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
        self._workings: dict[str, Working] = {}  # by the name of a snapshot
        self._before = self._after = Window()
        journal = Journal.open(self._store, write=False)
        first = records_of(journal.read(1)) if journal.last else []
        config = next((one for one in first if isinstance(one, r.Opened)), None)
        self._count = counter_for(config.model, config.encoding) if config else len
        self._clean = Cleaning(secrets, renewals, self._count, self._paged)
        self._segments = list(journal.segments)
        self._torn = bool(journal.torn)
        for segment in self._segments:
            self._read(segment, journal.last, found)
        broken = [what for law in LAWS for what in law(self._after)]
        if broken and not [what for law in LAWS for what in law(self._before)]:
            raise BadInput(f"the journal would fold to no lawful window: {broken[0]}")

    def snapshot(self, name: str, data: bytes) -> bytes:
        """A snapshot as it is now, with C_working as the journal folds to it."""
        working = self._workings.get(name)
        try:
            made = snapshot_of(data, name)
        except BadInput:
            return self._secrets.data(data)
        if isinstance(made, Snapshot):
            new = self._clean(made)
            new = replace(new, working=working) if working is not None else new
            return data if new == made else written(new)
        return data if working in (None, made) else json.encode(working)

    def written(self, purged: r.Redacted | None, at: int) -> dict[str, bytes]:
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
            changed = self._folded(records, changed)
            new = None if changed == records else changed
            self._lines.append(CleanLine(segment, line, commit, new))

    def _folded(self, old: Sequence[r.Record], new: Sequence[r.Record]) -> list[r.Record]:
        """The new records with true certificates, both folded on."""
        made: list[r.Record] = []
        for before, after in zip(old, new, strict=True):
            if isinstance(after, r.Undone):
                after = replace(after, window=self._at(after))
            one, two = apply(self._before, before), apply(self._after, after)
            if isinstance(before, r.Renewed | r.Finished):
                self._workings[before.snapshot] = self._after.working
            if isinstance(after, r.Compressed | r.Renewed):
                held, left = laws.fingerprints(two), self._after.tokens
                true = replace(after.certificate, before=left, after=two.tokens, protected=held)
                after = after if true == after.certificate else replace(after, certificate=true)
            made.append(after)
            self._before, self._after = one, two
        return made

    def _at(self, undone: r.Undone) -> Window:
        """The window that was gone back to, by the records of now."""
        window, turn = Window(), undone.to
        for line in self._lines:
            records = line.now()
            if undone.at == 0 == turn and any(map(entry_of, records)):
                return window
            for record in records:
                window = apply(window, record)
                if not undone.at and isinstance(record, r.Turned) and record.turn == turn:
                    return window
            if line.commit.number == undone.at:
                return window
        return window

    def _paged(self, name: str) -> tuple[int, int, bool] | None:
        """Tokens and bytes a page has more now, and whether it became a text; None: as it was."""
        if name not in self._pages:
            return None
        old, new = self._store.get(name), self._pages[name]
        more = self._count(_text(new)) - self._count(_text(old))
        return more, len(new) - len(old), digest(old) in self._new.standins

    def _line(self, each: CleanLine, *, forget: bool) -> bytes:
        """A line as it is now; to `forget` is the sha256 of its request: whoever has the rest of
        that could try values with it."""
        commit, records, hashes = each.commit, each.records, self._new.hashes
        if forget and b'"Turned"' in each.line:
            now = each.now()
            bare = [replace(x, sha256="") if isinstance(x, r.Turned) else x for x in now]
            records = bare if bare != now else records
        pages = tuple(
            replace(ref, sha256=new[0], size=new[1]) if (new := hashes.get(ref.sha256)) else ref
            for ref in commit.pages
        )
        if pages == commit.pages and records is None:
            return each.line
        data = bytes(commit.records) if records is None else encoded(records)
        schema = commit.schema if records is None else SCHEMA
        return encode(commit.number, commit.at, pages, data, schema)


def _text(data: bytes) -> str:
    return printable(data.decode("utf-8", "surrogateescape"))
