"""Clean a journal from secrets. Each line that changes is rewritten in its place and keeps its
commit number.

The old and the new records are applied side by side, each to a window of its own. So the
certificate of a cut (its token counts before and after) can be corrected for the new window. A
snapshot gets the C_working of the new window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import json
from msgspec.structs import replace

from loom.capabilities.agents.result import sha256_hex
from loom.errors import BadInput
from loom.providers.counts import counter_for
from loom.rewrite.clean_records import RecordCleaner, ReplacedFiles
from loom.rewrite.secrets import Secrets
from loom.session.archive.folded_journal import encode_records, records_of
from loom.session.archive.journal_index import record_entry
from loom.session.archive.snapshot_document import Snapshot, snapshot_bytes
from loom.session.archive.snapshot_document import parse_snapshot as snapshot_of
from loom.text import encodable
from loom_paging import FileStore, Journal
from loom_paging.line import encode
from loom_paging.salvage import FoundCommit, salvage
from loom_paging.segments import segment_name
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.migrations import SCHEMA
from loom_partitions.window import Window, apply
from loom_partitions.working import Working

LAWS = (laws.paired, laws.ordered, laws.counted)


Records = Sequence[r.Record]


class CleanJournal:
    """The journal of the workspace at `folder`, with secrets replaced in its records. `pages` maps
    the name of each cleaned page to its new bytes.

    `found(segment, where)` is called for each record that may hold secrets, with the name of the
    journal file and a text such as "commit 5 Replied". Raises BadInput if the cleaning leads to a
    window that breaks a rule."""

    def __init__(
        self,
        folder: Path,
        pages: dict[str, bytes],
        secrets: Secrets,
        renewals: ReplacedFiles,
        found: Callable[[str, str], None],
    ) -> None:
        self._store = FileStore(folder, durable=False, create=False)
        self._pages, self._secrets, self._new = pages, secrets, renewals
        changed = (*renewals.hashes, *renewals.names, *(f'"{name}"' for name in pages))
        self._stale = [one.encode() for one in changed]
        self._workings: dict[str, Working] = {}  # by the name of a snapshot
        self._before = self._after = Window()
        journal = Journal.open(self._store, write=False)
        held = [one for one in salvage(self._store).found if one.commit.number <= journal.last]
        # What an Undone may go back to: by commit, by turn (below 0), 0 before there is any entry.
        self._windows: dict[int, Window] = {}
        self._goes_back = any(b'"Undone"' in one.data for one in held)
        first = records_of(held[0].commit) if held else []
        config = next((one for one in first if isinstance(one, r.Opened)), None)
        self._count = counter_for(config.model, config.encoding) if config else len
        self._clean = RecordCleaner(secrets, renewals, self._count, self._page_growth)
        self._segments, self._torn = list(journal.segments), journal.torn
        # Each line, and the records it has now, None where they are the same.
        self._lines = [(line, self._cleaned_records(line, found)) for line in held]
        if self._torn:  # an end that nobody was told of: gone
            secrets.clean_bytes(self._store.get(self._segments[-1])[-self._torn :])
            found(self._segments[-1], "torn end")
        broken = [what for law in LAWS for what in law(self._after)]
        if broken and not [what for law in LAWS for what in law(self._before)]:
            raise BadInput(f"the journal would fold to no lawful window: {broken[0]}")

    def clean_snapshot(self, name: str, data: bytes) -> bytes:
        """Return the bytes of the snapshot `name` with the secrets replaced and its C_working
        corrected."""
        working = self._workings.get(name)
        try:
            made = snapshot_of(data, name)
        except BadInput:
            return self._secrets.clean_bytes(data)
        if isinstance(made, Snapshot):
            new = self._clean(made)
            new = replace(new, working=working) if working is not None else new
            return data if new == made else snapshot_bytes(new)
        return data if working in (None, made) else json.encode(working)

    def changed_segments(self, purged: r.Redacted | None, at: int) -> dict[str, bytes]:
        """Return a dict from the name of each changed journal file to its new bytes. The record
        `purged`, unless None, is added as a last commit, made at the time `at` (milliseconds)."""
        made = {name: bytearray() for name in self._segments or [segment_name(1)]}
        last = list(made)[-1]
        changed = {last} if self._torn or purged is not None else set()
        forget = purged is not None or any(records is not None for _, records in self._lines)
        for line, records in self._lines:
            new = self._clean_line(line, records, forget=forget)
            made[line.segment] += new
            if new != line.data:
                changed.add(line.segment)
        if purged is not None:
            number = self._lines[-1][0].commit.number + 1 if self._lines else 1
            made[last] += encode(number, at, (), encode_records([purged]), SCHEMA)
        return {name: bytes(made[name]) for name in made if name in changed}

    def _cleaned_records(
        self, line: FoundCommit, found: Callable[[str, str], None]
    ) -> Records | None:
        """Return the cleaned records of a journal line, or None if no record changes. Also update
        the old and the new window."""
        old = new = records_of(line.commit)
        if self._secrets.may_hold_secret(line.data) or any(
            name in line.data for name in self._stale
        ):
            new = []
            for record in old:
                new.append(self._clean(record))
                found(line.segment, f"commit {line.commit.number} {type(record).__name__}")
        if any(map(record_entry, old)):
            self._windows.setdefault(0, self._after)
        made = [self._fold_both(*both) for both in zip(old, new, strict=True)]
        if self._goes_back:
            self._windows[line.commit.number] = self._after
        return None if made == old else made

    def _fold_both(self, before: r.Record, after: r.Record) -> r.Record:
        """Apply the record `before` to the old window and `after` to the new window. Return
        `after`; in a cut, the token counts are corrected."""
        if isinstance(after, r.Undone):
            after = replace(after, window=self._windows.get(after.at or -after.to, self._after))
        one, two = apply(self._before, before), apply(self._after, after)
        if isinstance(before, r.Renewed | r.Finished):
            self._workings[before.snapshot] = self._after.working
        if isinstance(after, r.Compressed | r.Renewed):
            held, left = laws.fingerprints(two), self._after.tokens
            true = replace(after.certificate, before=left, after=two.tokens, protected=held)
            after = after if true == after.certificate else replace(after, certificate=true)
        if isinstance(after, r.Turned) and self._goes_back:
            self._windows.setdefault(-after.turn, two)
        self._before, self._after = one, two
        return after

    def _page_growth(self, name: str) -> tuple[int, int, bool] | None:
        """Return a tuple (added tokens, added bytes, whether a short text replaced the whole page)
        for a changed page, or None for an unchanged page."""
        if name not in self._pages:
            return None
        old, new = self._store.get(name), self._pages[name]
        more = self._count(_printable_text(new)) - self._count(_printable_text(old))
        return more, len(new) - len(old), sha256_hex(old) in self._new.standins

    def _clean_line(self, line: FoundCommit, records: Records | None, *, forget: bool) -> bytes:
        """Return the bytes of a journal line with the new `records` (None: unchanged) and the new
        hashes of its pages. With `forget`, remove the sha256 of the request, against which guesses
        of a purged value could be tested."""
        commit, hashes = line.commit, self._new.hashes
        if forget and b'"Turned"' in line.data:
            now = records_of(commit) if records is None else records
            bare = [replace(x, sha256="") if isinstance(x, r.Turned) else x for x in now]
            records = bare if bare != now else records
        pages = tuple(
            replace(ref, sha256=new[0], size=new[1]) if (new := hashes.get(ref.sha256)) else ref
            for ref in commit.pages
        )
        if pages == commit.pages and records is None:
            return line.data
        data = bytes(commit.records) if records is None else encode_records(records)
        schema = commit.schema if records is None else SCHEMA
        return encode(commit.number, commit.at, pages, data, schema)


def _printable_text(data: bytes) -> str:
    return encodable(data.decode("utf-8", "surrogateescape"))
