"""A journal without secrets: every line that changes written anew, in its place, under its number.

The old and the new records are folded side by side, so that the certificates of cuts say what the
new window holds, and the snapshots can be given C_working as it folds now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple, replace

from loom.engine.archive.decode import encoded, records_of, retired_by
from loom.engine.archive.index import entry_of
from loom.rewrite.cleaning import Cleaning, Renewals
from loom.rewrite.errors import BadPurge
from loom.rewrite.purge_report import summed
from loom.rewrite.secrets import Secrets
from loom_paging import Commit, Journal, Store
from loom_paging.line import BadLine, decode, encode
from loom_paging.segments import lines, segment_name
from loom_partitions import laws
from loom_partitions.limits import Tokens
from loom_partitions.migrations import SCHEMA
from loom_partitions.records import Compressed, Finished, Purged, Record, Renewed, Turned, Undone
from loom_partitions.window import Window, apply
from loom_partitions.working import Working

LAWS = (laws.paired, laws.ordered, laws.counted)


class CleanLine(Struct):
    """A line as it was, its commit, and the records it has now, None where they are the same."""

    segment: str
    line: bytes
    commit: Commit
    records: Sequence[Record] | None


class CleanJournal:
    """The journal of one store, its records cleaned; `found(segment, where, counts)` is told of
    each."""

    def __init__(
        self,
        store: Store,
        secrets: Secrets,
        clean: Cleaning,
        stale: Callable[[bytes], bool],
        found: Callable[[str, str, dict[str, int]], None],
    ) -> None:
        self.lines: list[CleanLine] = []
        self.workings: dict[str, Working] = {}  # by the name of a snapshot
        self._old = self._new = Window()
        journal = Journal.open(store, write=False, retired=retired_by)
        self.segments = list(journal.segments)
        self._torn = bool(journal.torn)
        for segment in self.segments:
            of_segment = lines(store, segment)
            for _, line in of_segment:
                commit = _standing(line, journal.last)
                if commit is None:  # the torn tail, which nobody was told of, and which goes
                    secrets.data(b"".join((line, *(later for _, later in of_segment))))
                    found(segment, "torn end", secrets.take())
                    break
                records = records_of(commit)
                changed = records
                if stale(line):
                    changed = []
                    for record in records:
                        changed.append(clean(record))
                        where = f"commit {commit.number} {type(record).__name__}"
                        found(segment, where, secrets.take())
                changed = self._folded(records, changed)
                new = None if changed == records else changed
                self.lines.append(CleanLine(segment, line, commit, new))
        self._check()

    def _folded(self, old: Sequence[Record], new: Sequence[Record]) -> list[Record]:
        """The new records with true certificates, both folded on."""
        made: list[Record] = []
        for before, after in zip(old, new, strict=True):
            if isinstance(after, Undone):
                after = replace(after, window=self._at(after))
            one, two = apply(self._old, before), apply(self._new, after)
            if isinstance(before, Renewed | Finished):
                self.workings[before.snapshot] = self._new.working
            if isinstance(after, Compressed | Renewed):
                given = after.certificate
                certificate = replace(
                    given,
                    before=_moved(given.before, self._old.tokens, self._new.tokens),
                    after=_moved(given.after, one.tokens, two.tokens),
                )
                if laws.fingerprints(one) != laws.fingerprints(two):
                    certificate = replace(certificate, protected=laws.fingerprints(two))
                after = replace(after, certificate=certificate)
            made.append(after)
            self._old, self._new = one, two
        return made

    def _at(self, undone: Undone) -> Window:
        """The window that was gone back to, by the records of now."""
        window, turn = Window(), undone.to
        for line in self.lines:
            records = records_of(line.commit) if line.records is None else line.records
            if undone.at == 0 == turn and any(map(entry_of, records)):
                return window
            for record in records:
                window = apply(window, record)
                if not undone.at and isinstance(record, Turned) and record.turn == turn:
                    return window
            if line.commit.number == undone.at:
                return window
        return window

    def _check(self) -> None:
        """Raise BadPurge when the new records fold to no lawful window, as the old ones did."""
        broken = [what for law in LAWS for what in law(self._new)]
        if broken and not [what for law in LAWS for what in law(self._old)]:
            raise BadPurge(f"the journal would fold to no lawful window: {broken[0]}")

    def written(self, renewals: Renewals, purged: Purged | None, at: int) -> dict[str, bytes]:
        """The segments that change, whole, with a last commit that says what was purged."""
        made = {name: bytearray() for name in self.segments or [segment_name(1)]}
        changed = {self.segments[-1]} if self._torn else set()
        if purged is not None or any(each.records is not None for each in self.lines):
            self._forget_requests()
        for each in self.lines:
            line = self._line(each, renewals)
            made[each.segment] += line
            if line != each.line:
                changed.add(each.segment)
        if purged is not None:
            last = list(made)[-1]
            number = self.lines[-1].commit.number + 1 if self.lines else 1
            claim = self.lines[-1].commit.durable if self.lines else None
            made[last] += encode(number, at, (), encoded([purged]), SCHEMA, claim)
            changed.add(last)
        return {name: bytes(made[name]) for name in made if name in changed}

    def _forget_requests(self) -> None:
        """Take out the sha256 of each request: whoever has the rest could try values with it."""
        for each in self.lines:
            if b'"Turned"' not in each.line:
                continue
            records = records_of(each.commit) if each.records is None else each.records
            bare = [replace(one, sha256="") if isinstance(one, Turned) else one for one in records]
            if bare != records:
                each.records = bare

    def _line(self, each: CleanLine, renewals: Renewals) -> bytes:
        commit = each.commit
        pages = tuple(_renewed(ref, renewals) for ref in commit.pages)
        if pages == commit.pages and each.records is None:
            return each.line
        data = bytes(commit.records) if each.records is None else encoded(each.records)
        schema = commit.schema if each.records is None else SCHEMA
        return encode(commit.number, commit.at, pages, data, schema, commit.durable)


def _standing(line: bytes, last: int) -> Commit | None:
    """The commit of a line; None in the torn tail, which begins behind commit `last`."""
    with suppress(BadLine):
        commit = decode(line)
        return commit if commit.number <= last else None
    return None


def purged(found: Sequence[tuple[str, dict[str, int]]]) -> Purged:
    """The record that says what was purged, by kind and by place."""
    places = summed({place: sum(kinds.values())} for place, kinds in found)
    return Purged(summed(kinds for _, kinds in found), places)


def _renewed(ref: Any, renewals: Renewals) -> Any:
    new = renewals.hashes.get(ref.sha256)
    return replace(ref, sha256=new[0], size=new[1]) if new else ref


def _moved(given: Tokens, old: Tokens, new: Tokens) -> Tokens:
    """Counts of a certificate, with what the texts take more or less now."""
    if old == new:
        return given
    pairs = zip(astuple(given), astuple(old), astuple(new), strict=True)
    return Tokens(*(max(was + after - before, 0) for was, before, after in pairs))
