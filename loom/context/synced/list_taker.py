"""New messages of a host's list become entries, each in one commit with the record of its hash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from loom.context.inputs import heard_records, reply_records
from loom.context.open_calls import give_up_open_calls
from loom.context.results import HostCalls
from loom.context.synced.message_keys import needs_no_entry
from loom.context.synced.unlisted_entries import UnlistedEntries
from loom.errors import ANSWERED_CALL, UNKNOWN_CALL, BadInput
from loom.inputs import Reasoning, Reply
from loom.providers.formats.envelope import opaques
from loom.providers.formats.listing import ListedMessage, ListedResult
from loom.providers.formats.wire import content_text
from loom.session import Engine
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.restore import restore_entry
from loom.session.head import put_text
from loom.session.locking import one_call
from loom.session.read_ahead import whole_unsent_step
from loom_partitions import records as r
from loom_partitions.journaled import SyncedMessage
from loom_partitions.message import Thought

DROPPED = "the host's list goes on without its result"
ORPHAN = "[result without a call: {id}]\n{text}"
ANOTHER = "[another result of call {id}]\n{text}"
INSTRUCTIONS = "instructions"  # whose words a system message has that stands between others


class ListTaker:
    """Takes the messages of one list into the window, which has the first `keep` already."""

    def __init__(self, engine: Engine, calls: HostCalls, keep: int, format: str) -> None:
        self._engine = engine
        self._calls = calls
        self._format = format
        self._given = UnlistedEntries(engine, format)
        self._known = keep
        self._last = engine.workspace.folded.host.last_entry
        self._told: list[SyncedMessage] = []  # known again, and not in the journal yet

    def take(self, messages: Sequence[ListedMessage], known: Sequence[SyncedMessage]) -> None:
        """Take in the messages that are not in the window yet. `known` holds what the journal keeps
        of each message."""
        for at in range(self._known, len(messages)):
            message = messages[at]
            if message.reply is not None:
                # Calls the list has results of the host ran itself, under a name of Loom's too.
                ran = {result.call_id for result in results_before_reply(messages[at + 1 :])}
                self._take_reply(message, message.reply, known[at], ran)
            elif message.system is not None:
                self._take_instructions(message.system, known[at])
            else:
                orphans = [
                    one for one in message.results if not self._take_result(one, messages, at)
                ]
                self._take_user_message(message, orphans, known[at])
        self._note_known()

    @one_call
    def _note_known(self) -> None:
        """Commit a record of the messages that `_note_if_known` noted."""
        if self._told:
            told, self._told = (*self._told,), []
            self._engine.commit(r.Synced(self._known, told))
            self._known += len(told)

    @one_call
    def _take_instructions(self, text: str, known: SyncedMessage) -> None:
        """Take in a system message from the middle of the list as an entry. While results of a
        reply are missing no entry is possible; the message then becomes a text of the system
        partition. `known` is the message's hash, role, length and id."""
        engine = self._engine
        if engine.window.history.open_calls:
            put_text(engine, "system", f"instructions {known.key[:8]}", text)
            self._told.append(known)
        else:
            entry = engine.window.history.next_id
            self._commit_message(known, entry, *heard_records(engine, text, INSTRUCTIONS, entry))

    def _commit_message(self, known: SyncedMessage, entry: int, *records: r.Record) -> None:
        """Commit the records of a message, together with its hash. `entry` is its entry's id."""
        told = (*self._told, replace(known, entry=entry))
        self._engine.commit(*records, r.Synced(self._known, told))
        self._known, self._told, self._last = self._known + len(told), [], entry

    def _note_if_known(self, message: ListedMessage, known: SyncedMessage) -> bool:
        """Note a message that needs no new entry (it is empty, or the host gave it by
        `Context.user` or `reply`) and return True. For any other message, return False."""
        found = self._given.find(message, self._last)
        if found:
            self._last = found
            if message.reply is not None:
                self._take_reasoning(found, message.reply)
        elif not needs_no_entry(message):
            return False
        self._told.append(replace(known, entry=found or (self._last if message.results else 0)))
        return True

    def _take_reasoning(self, entry: int, reply: Reply) -> None:
        """Add the reasoning of a listed reply to the reply's entry, unless the entry has reasoning
        or was sent in a request. The provider may require the reasoning."""
        engine = self._engine
        step = whole_unsent_step(engine.window, entry)
        listed = tuple(takewhile(lambda one: isinstance(one, Reasoning), reply.parts))
        if step is None or not any(opaques(listed)):
            return
        stands = [one for one in step.parts if isinstance(one, Thought)]
        if any(opaques(stands)) or len(stands) not in (0, len(listed)):
            return
        cleaned = engine.ingest.cleaned(replace(reply, parts=listed))
        made = engine.ingest.reply(cleaned, entry, engine.room.share(engine.window))
        thoughts = tuple(one for one in made.parts if isinstance(one, Thought))
        engine.commit(r.Rethought(entry, thoughts))

    @one_call
    def _take_reply(
        self, message: ListedMessage, reply: Reply, known: SyncedMessage, hosts: set[str]
    ) -> None:
        """Take in a reply, unless it is known. `hosts` are ids of calls that the host ran, even if
        they name a tool of Loom's."""
        engine = self._engine
        if not self._note_if_known(message, known):
            give_up_open_calls(engine, DROPPED)
            records, given = reply_records(engine, reply, hosts)
            self._commit_message(known, engine.window.history.next_id, *records)
            self._calls.reply = given

    @one_call
    def _take_user_message(
        self, message: ListedMessage, orphans: Sequence[ListedResult], known: SyncedMessage
    ) -> None:
        """Take in a message of the user, unless it is known. `orphans` are results in it without a
        waiting call; they become entries before the message."""
        engine = self._engine
        if not orphans and self._note_if_known(message, known):
            return
        self._note_known()  # an edit of this message is none of the results before it
        if message.content is not None:
            give_up_open_calls(engine, DROPPED)
        entry = engine.window.history.next_id
        records: list[r.Record] = []
        for one in orphans:
            records += heard_records(
                engine, orphan_result_text(engine, one), "observation", entry + len(records)
            )
        if message.content is not None:
            content, first = [*message.content], entry + len(records)
            records += heard_records(engine, content, "", first, self._format)
        self._commit_message(known, entry, *records)

    def _take_result(
        self, result: ListedResult, messages: Sequence[ListedMessage], at: int
    ) -> bool:
        """Take in a result from message number `at`, unless its call has this result already.
        Return False if the result belongs to no call, or if its call has a different result."""
        for id in (result.call_id, *self._journal_ids(result.call_id, messages, at)):
            try:
                self._calls.result(id, result.content, result.error, self._format)
            except BadInput as error:
                if error.kind == ANSWERED_CALL:
                    return self._take_another_result(result, messages, at)
                if error.kind != UNKNOWN_CALL:
                    raise
                continue
            return True
        return False

    def _take_another_result(
        self, result: ListedResult, messages: Sequence[ListedMessage], at: int
    ) -> bool:
        """Take in a result whose call id has a result already, as that of the list's second call
        with this id (in the journal "c1_2"). Return False if the list has no second call and the
        result differs from the known one."""
        told = [one.call_id for one in messages[at].results if one is not result]
        told += [one.call_id for one in results_before_reply(reversed(messages[:at]))]
        again = re.compile(re.escape(result.call_id) + r"(?:_\d+)+")
        waiting = [*filter(again.fullmatch, self._engine.window.history.open_calls)]
        if result.call_id in told and waiting:
            self._calls.result(waiting[0], result.content, result.error, self._format)
            return True
        return self._given.is_same_result(result)  # given before by the host, or answered by Loom

    def _journal_ids(self, id: str, messages: Sequence[ListedMessage], at: int) -> Iterator[str]:
        """Yield the journal's ids for the call that has the id `id` in the list, before message
        number `at`. Ids that Loom made up, in a format without call ids, may differ."""
        workspace, replies = self._engine.workspace, enumerate(one.reply for one in messages[:at])
        place, reply = next((one for one in [*replies][::-1] if one[1]), (0, None))
        if reply is None:
            return
        known, told = workspace.folded.host.messages, self._told
        entry = (known[place] if place < self._known else told[place - self._known]).entry
        try:
            held = restore_entry(workspace, entry).reply if entry else None
        except UNREADABLE:
            return
        calls = self._given.host_calls(held) if held else ()
        yield from (call.id for one, call in zip(reply.calls, calls, strict=False) if one.id == id)


def results_before_reply(messages: Iterable[ListedMessage]) -> list[ListedResult]:
    """Return the results in the messages before the first reply, or in all if no reply follows."""
    behind = takewhile(lambda one: one.reply is None, messages)
    return [result for message in behind for result in message.results]


def orphan_result_text(engine: Engine, result: ListedResult) -> str:
    """Return a text for an entry that holds a result without a waiting call."""
    text = result.content if isinstance(result.content, str) else content_text(result.content)
    form = ANOTHER if result.call_id in engine.workspace.index.calls else ORPHAN
    return form.format(id=result.call_id, text=text)
