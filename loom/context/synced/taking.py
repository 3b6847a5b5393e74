"""What is new in a host's list becomes entries, each message in one commit with what tells of it.

The host may have given a reply or a result before its list has it (`Context.reply`, `result`): such
an entry is no message of the list yet, and is known again by its calls or its words. Entries that
the host never lists, as the calls Loom answers itself, are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from loom.context.inputs import heard, replied
from loom.context.open_calls import given_up
from loom.context.results import HostCalls
from loom.context.synced.keys import called, spoken, words
from loom.engine import Engine
from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.restore import Restored, restore
from loom.engine.head import own, put
from loom.engine.undo import UndoneCall
from loom.errors import AnsweredCall, UnknownCall
from loom.inputs import Reply, ToolCall
from loom.providers.formats.listing import ListedMessage, ListedResult
from loom_partitions import records as r
from loom_partitions.synced import SyncedMessage

LOOKED = 64  # entries the host may have given that are looked through for one message
DROPPED = "the host's list goes on without its result"
ORPHAN = "[result without a call: {id}]\n{text}"


class ListTaker:
    """Takes the messages of one list in; `replies` are those read so far, by their numbers."""

    def __init__(self, engine: Engine, calls: HostCalls, keep: int, last: int) -> None:
        """`keep` messages of the list are known already, the last of their entries is `last`."""
        self._engine = engine
        self._calls = calls
        self._known = keep
        self._last = last
        self._told: list[SyncedMessage] = []  # known again, and not in the journal yet

    def take(self, messages: Sequence[ListedMessage], known: Sequence[SyncedMessage]) -> None:
        """Take messages in, each with what it is known by; those before them stand."""
        for at in range(self._known, len(messages)):
            self._take(messages[at], known[at], messages[:at] if messages[at].results else ())
        self.finish()

    def finish(self) -> None:
        """Write down what was known again."""
        engine = self._engine
        if self._told:
            with engine.lock, engine.atomic:
                engine.commit(r.Synced(self._known, (*self._told,)))
            self._known, self._told = self._known + len(self._told), []

    def _take(
        self, message: ListedMessage, known: SyncedMessage, before: Sequence[ListedMessage]
    ) -> None:
        if message.reply is not None:
            self._reply(message.reply, known)
        elif message.system is not None:
            key = f"instructions {self._known + len(self._told)}"
            put(self._engine, "system", key, message.system)
            self._told.append(known)
        else:
            for result in message.results:
                self._result(result, before)
            if message.content is None:
                self._told.append(replace(known, entry=self._last))
            else:
                self._user(message.content, known)

    def _commit(self, known: SyncedMessage, entry: int, *records: r.Record) -> None:
        told = (*self._told, replace(known, entry=entry))
        self._engine.commit(*records, r.Synced(self._known, told))
        self._known, self._told, self._last = self._known + len(told), [], entry

    def _reply(self, reply: Reply, known: SyncedMessage) -> None:
        engine = self._engine
        with engine.lock, engine.atomic:
            found = next((id for id, one in self._given() if self.same(reply, one)), 0)
            if found or not (reply.calls or spoken(reply)):
                self._told.append(replace(known, entry=found))
                self._last = found or self._last
                return
            given_up(engine, DROPPED)
            records, given = replied(engine, reply)
            self._commit(known, engine.window.history.next_id, *records)
            self._calls.reply = given

    def _user(self, content: tuple[object, ...], known: SyncedMessage) -> None:
        engine = self._engine
        with engine.lock, engine.atomic:
            text = words(" ".join(one for one in content if isinstance(one, str)))
            same = (
                id for id, one in self._given() if one.reply is None and words(one.text) == text
            )
            if len(content) == 1 and (found := next(same, 0)):
                self._told.append(replace(known, entry=found))
                self._last = found
                return
            given_up(engine, DROPPED)
            entry = engine.window.history.next_id
            self._commit(known, entry, *heard(engine, [*content]))

    def _result(self, result: ListedResult, before: Sequence[ListedMessage]) -> None:
        """Take a result, unless the call has one: given before, or answered by Loom."""
        for id in (result.call_id, *self._meant(result.call_id, before)):
            try:
                self._calls.result(id, result.content, result.error)
            except (AnsweredCall, UndoneCall):
                return
            except UnknownCall:
                continue
            return
        text = result.content if isinstance(result.content, str) else str(result.content)
        engine = self._engine
        with engine.lock, engine.atomic:
            engine.commit(*heard(engine, ORPHAN.format(id=result.call_id, text=text)))

    def _meant(self, id: str, before: Sequence[ListedMessage]) -> Iterator[str]:
        """The id, in the journal, of a call that has another in the list: some formats have none,
        and what Loom made of the provider's reply is another than what it makes of the list."""
        reply = next((one.reply for one in reversed(before) if one.reply is not None), None)
        step = self._step(self._last)
        if reply is not None and step is not None:
            for listed, held in zip(reply.calls, self._host_calls(step), strict=False):
                if listed.id == id:
                    yield held.id

    def _given(self) -> Iterator[tuple[int, Restored]]:
        """Yield entries that came after the last of the list, the oldest first."""
        index, ids = (
            self._engine.workspace.index,
            range(self._last + 1, self._engine.window.history.next_id),
        )
        for id in ids[:LOOKED]:
            if id in index and not index.is_undone(id):
                try:
                    yield id, restore(self._engine.workspace, id)
                except UNREADABLE:
                    continue

    def _step(self, entry: int) -> Reply | None:
        try:
            return restore(self._engine.workspace, entry).reply if entry else None
        except UNREADABLE:
            return None

    def _host_calls(self, reply: Reply) -> list[ToolCall]:
        mine = own(self._engine)
        return [call for call in reply.calls if call.name not in mine]

    def same(self, reply: Reply, entry: Restored) -> bool:
        """True for a step whose reply, less the calls Loom answered, is that of the list."""
        if entry.reply is None:
            return False
        calls, listed = self._host_calls(entry.reply), {call.id for call in reply.calls}
        if listed and {call.id for call in calls} <= listed <= {c.id for c in entry.reply.calls}:
            return True
        said = self._engine.ingest.clean(spoken(reply))
        self._engine.redactor.take()
        same = [*map(called, calls)] == [*map(called, reply.calls)]
        return same and (bool(calls) or words(said) == spoken(entry.reply))
