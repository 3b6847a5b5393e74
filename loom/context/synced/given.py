"""Entries the host gave itself before its list has them (`Context.user`, `reply`, `result`).

Such an entry is no message of the list yet, and is known again by its calls or its words. Entries
the host never lists, as those of calls Loom answers itself, are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from loom.context.synced.keys import called, spoken, words
from loom.engine import Engine
from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.restore import Restored, arrived, restore
from loom.engine.attach import pieces
from loom.engine.head import own
from loom.inputs import Reply, ToolCall
from loom.providers.formats.listing import ListedMessage
from loom_partitions.records import Heard, Joined


class GivenEntries:
    """The entries of a window that came after one of a list's, and which message each is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def any(self, after: int) -> bool:
        """True where an entry came after one."""
        return next(self._ids(after), 0) > 0

    def find(self, message: ListedMessage, after: int) -> int:
        """The first entry after one that is a message of the list; 0 for none."""
        if message.reply is not None:
            reply = message.reply
            return next((id for id, one in self.replies(after) if self._same(reply, one)), 0)
        if message.content is None:
            return 0
        content = message.content or ("",)
        for _, ids in groupby(self._ids(after), self._commit):
            group = [*ids]
            if len(group) <= len(content) and self._is_said(group, content):
                return group[0]
        return 0

    def replies(self, after: int) -> Iterator[tuple[int, Restored]]:
        """Yield the replies that came after an entry; not those Loom made of a child's result."""
        workspace = self._engine.workspace
        for id in self._ids(after):
            if any(isinstance(one, Joined) for one in workspace.records(self._commit(id))):
                continue
            try:
                found = restore(workspace, id)
            except UNREADABLE:
                continue
            if found.reply is not None:
                yield id, found

    def host_calls(self, reply: Reply) -> list[ToolCall]:
        """The calls of a reply that are the host's to run."""
        mine = own(self._engine)
        return [call for call in reply.calls if call.name not in mine]

    def _ids(self, after: int) -> Iterator[int]:
        """Yield the entries behind those that one commit made, the oldest first."""
        index = self._engine.workspace.index
        made = self._commit(after) if after in index else 0
        for id in range(after + 1, self._engine.window.history.next_id):
            if id in index and self._commit(id) != made and not index.is_undone(id):
                yield id

    def _commit(self, entry: int) -> int:
        return self._engine.workspace.index.commits[entry][0]

    def _is_said(self, entries: Sequence[int], content: Sequence[Any]) -> bool:
        """True for the entries a message of the user became: one for each of its parts."""
        workspace, given = self._engine.workspace, pieces([*content])
        if len(given) != len(entries):
            return False
        for entry, piece in zip(entries, given, strict=True):
            if not any(isinstance(one, Heard) for one in workspace.about(entry)):
                return False
            try:
                if isinstance(piece, str):
                    same = words(restore(workspace, entry).text) == self._clean(piece)
                else:
                    page = arrived(workspace, entry).text.page  # type: ignore[union-attr]
                    same = piece.data is None or workspace.payload(page) == piece.data
            except UNREADABLE:
                return False
            if not same:
                return False
        return True

    def _same(self, reply: Reply, entry: Restored) -> bool:
        """True for a step whose reply, less the calls Loom answered, is that of the list."""
        if entry.reply is None:
            return False
        calls, listed = self.host_calls(entry.reply), {call.id for call in reply.calls}
        if listed and {call.id for call in calls} <= listed <= {c.id for c in entry.reply.calls}:
            return True
        same = [*map(called, calls)] == [*map(called, reply.calls)]
        return same and (bool(calls) or self._clean(spoken(reply)) == spoken(entry.reply))

    def _clean(self, text: str) -> str:
        """A text as the journal holds it, for equality."""
        clean = words(self._engine.ingest.clean(text))
        self._engine.redactor.take()  # it is counted when it is taken in
        return clean
