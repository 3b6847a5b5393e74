"""One workspace without secrets: what changes of its pages, its snapshots and its journal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import MsgspecError, json
from msgspec.structs import replace

from loom.capabilities.agents import result as results
from loom.capabilities.agents.event import TOPICS, BusEvent, resealed
from loom.capabilities.agents.log import TrimMark
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.events.inbox import InboxMessage
from loom.engine.archive.decode import records_of, retired_by
from loom.engine.snapshots.document import BadSnapshot, Snapshot, written
from loom.engine.snapshots.document import read as snapshot_of
from loom.providers.counts import counter_for
from loom.rewrite.clean_journal import CleanJournal
from loom.rewrite.clean_pages import digest
from loom.rewrite.cleaning import Cleaning, Renewals
from loom.rewrite.secrets import Secrets
from loom.text import printable
from loom_paging import FileStore, Journal
from loom_partitions.records import Opened, Purged

Found = Callable[[str, str, dict[str, int]], None]


class CleanWorkspace:
    """A workspace, its journal read and cleaned; `pages` are its new pages, by name."""

    def __init__(
        self,
        folder: Path,
        pages: dict[str, bytes],
        secrets: Secrets,
        renewals: Renewals,
        found: Found,
    ) -> None:
        self.folder = folder
        self._store = FileStore(folder, durable=False, create=False)
        self._pages, self._secrets, self._new = pages, secrets, renewals
        self._more: dict[str, tuple[int, int, bool]] = {}
        self._stale = [old.encode() for old in (*renewals.hashes, *renewals.names)]
        config = self._config()
        self._count = counter_for(config.model, config.encoding) if config else len
        self.clean = Cleaning(secrets, renewals, self._count, self._paged)
        self.journal = CleanJournal(
            self._store,
            secrets,
            self.clean,
            self.stale,
            found,
        )

    def _config(self) -> Opened | None:
        journal = Journal.open(self._store, write=False, retired=retired_by)
        records = records_of(journal.read(1)) if journal.last else []
        return next((one for one in records if isinstance(one, Opened)), None)

    def stale(self, line: bytes) -> bool:
        """True for a line with a secret, or with a hash, a name or a page that has changed."""
        named = (b'"%b"' % name.encode() for name in self._pages)
        return (
            self._secrets.touch(line)
            or any(old in line for old in self._stale)
            or any(name in line for name in named)
        )

    def _paged(self, name: str) -> tuple[int, int, bool] | None:
        """Tokens and bytes a page has more now, and whether it became a text; None: as it was."""
        if name not in self._pages:
            return None
        if name not in self._more:
            old, new = self._store.get(name), self._pages[name]
            more = self._count(_text(new)) - self._count(_text(old))
            stand_in = digest(old) in self._new.standins
            self._more[name] = more, len(new) - len(old), stand_in
        return self._more[name]

    def snapshot(self, name: str, data: bytes) -> bytes:
        """A snapshot as it is now, with C_working as the journal folds to it."""
        working = self.journal.workings.get(name)
        try:
            made = snapshot_of(data, name)
        except BadSnapshot:
            return self._secrets.data(data)
        if isinstance(made, Snapshot):
            new = self.clean(made)
            new = replace(new, working=working) if working is not None else new
            return data if new == made else written(new)
        return data if working in (None, made) else json.encode(working)

    def written(self, purged: Purged | None, at: int) -> dict[str, bytes]:
        """The segments of the journal that change."""
        return self.journal.written(self._new, purged, at)


def result(data: bytes, secrets: Secrets, renewals: Renewals) -> bytes:
    """The result of an agent as it is now; what names it by a hash is told the new one."""
    try:
        old = json.decode(data, type=AgentResult)
    except ValueError:
        return secrets.data(data)
    clean = Cleaning(secrets, renewals, len, lambda name: None)
    new = clean(replace(old, sha256=""))
    if new == replace(old, sha256=""):
        return data
    made = results.encoded(new)
    pairs = [(_said(old), _said(new)), (data, made)]
    for before, after in pairs:
        renewals.hashes[digest(before)] = digest(after), len(after)
    return made


def _said(given: AgentResult) -> bytes:
    """The text of a result whose hash is checked when it is joined."""
    return json.encode((given.summary, given.artefacts, given.error))


def event(data: bytes, secrets: Secrets, renewals: Renewals) -> bytes:
    """An event of the bus as it is now, its checksum true."""

    def clean(old: BusEvent) -> BusEvent:
        cleaning = Cleaning(secrets, renewals, len, lambda name: None)
        new: BusEvent = cleaning(replace(old, topic=""))
        topic = old.topic if old.topic in TOPICS else secrets.name(old.topic)
        return replace(new, topic=topic)

    return resealed(data, clean) or secrets.data(data)


def inbox_message(data: bytes, secrets: Secrets) -> bytes:
    """A message of the inbox as it is now; bytes like any others where it is none."""
    try:
        old = json.decode(data, type=InboxMessage)
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return secrets.data(data)
    new = replace(old, text=secrets.text(old.text), id=secrets.text(old.id))
    return data if new == old else json.encode(new)


def trim(data: bytes, secrets: Secrets, renewals: Renewals) -> bytes:
    """A note of what was trimmed from the bus as it is now."""
    try:
        old = json.decode(data, type=TrimMark)
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return secrets.data(data)
    new = Cleaning(secrets, renewals, len, lambda name: None)(old)
    return data if new == old else json.encode(new)


def _text(data: bytes) -> str:
    return printable(data.decode("utf-8", "surrogateescape"))
