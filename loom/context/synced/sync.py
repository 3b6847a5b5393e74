"""Taking in a host's list: compared with what is known, then extended, undone or renewed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import RLock

from msgspec.structs import replace

from loom.context.inputs import heard, replied
from loom.context.open_calls import given_up
from loom.context.results import HostCalls
from loom.context.synced.keys import spoken
from loom.context.synced.plan import How, ListPlan, planned
from loom.context.synced.reading import HostMessages, listed_in
from loom.context.synced.taking import DROPPED, ListTaker
from loom.context.synced.unlisted import drop_unlisted
from loom.engine import Engine
from loom.engine.head import put
from loom.engine.undo import undo
from loom.errors import Vetoed
from loom.providers.formats.listing import ListedMessage
from loom.providers.formats.wire import text_of
from loom_partitions import records as r
from loom_partitions.synced import SyncedMessage

SUMMARY = "summary"  # whose words stand for messages a client compacted


class HostListSync:
    """The list of one host, as it was given last."""

    def __init__(self, engine: Engine, calls: HostCalls) -> None:
        self._engine = engine
        self._calls = calls
        self._guard = RLock()  # one list at a time; a tool's result may be summed up meanwhile
        self._read: HostMessages | None = None

    def take(self, messages: object, format: str, system: object, compacted: bool | None) -> None:
        """Take a list in. Raises BadMessage and UnknownFormat, and then nothing is changed."""
        engine = self._engine
        with self._guard:
            with engine.lock, engine.atomic:
                known = engine.workspace.folded.host.messages
                salt = engine.window.config.mark
            read = self._read
            if read is None or read.format != format:
                read = HostMessages(format, salt)
            read.update(listed_in(messages))
            self._read = read
            lead = _lead(read)
            given = read.known[lead:]
            plan = planned(known, given, compacted)
            while plan.how is How.EDITED:
                known, plan = self._back(plan, given, compacted)
            self._instruct(text_of(system), read, lead)
            if plan.how is How.COMPACTED:
                self._compact(plan, known, read, lead)
                plan = replace(plan, keep=plan.keep + plan.instead + plan.tail)
            entries = engine.workspace.folded.host.messages
            last = max((one.entry for one in entries), default=0)
            taker = ListTaker(engine, self._calls, plan.keep, last)
            if last:
                with engine.lock, engine.atomic:
                    new = read.messages[lead + plan.keep :]
                    drop_unlisted(engine, last, new, taker.same)
            taker.take(read.messages[lead:], given)

    def _instruct(self, system: str, read: HostMessages, lead: int) -> None:
        """Put the instructions in their place: those given apart, and those that lead the list."""
        said = [system, *(one.system or "" for one in read.messages[:lead])]
        if text := "\n\n".join(filter(None, said)):
            put(self._engine, "system", "instructions", text)

    def _back(
        self, plan: ListPlan, given: Sequence[SyncedMessage], compacted: bool | None
    ) -> tuple[tuple[SyncedMessage, ...], ListPlan]:
        """Undo what followed the last request that holds no more than what stands.

        Where a client compacted since, that is the one before it did, and its list is compared
        with the one given. Returns the list that is known then, and what became of it.
        """
        engine = self._engine
        with engine.lock, engine.atomic:
            host, index = engine.workspace.folded.host, engine.workspace.index
            stood, turn = host.stood(), 0
            for turn in sorted((*index.requests, 0), reverse=True):
                commit = index.commit_of(turn)
                many = stood(commit)
                if not index.is_past(commit) and (many is None or many <= plan.keep):
                    break
            before = len(host)
            if turn or index.commits:
                undo(engine, turn, brief=True)
            known = engine.workspace.folded.host.messages
            if len(known) == before:  # none of it became an entry, so there was nothing to undo
                engine.commit(r.Synced(plan.keep, ()))
                known = engine.workspace.folded.host.messages
            return known, planned(known, given, compacted)

    def _compact(
        self, plan: ListPlan, known: Sequence[SyncedMessage], read: HostMessages, lead: int
    ) -> None:
        """Begin a fresh window with what the client put in the place of messages.

        What is known to have been said stays as Loom keeps it, so a list that was only trimmed
        changes nothing here.
        """
        engine, first = self._engine, lead + plan.keep
        late = (result for one in read.messages[first:] for result in one.results)
        for result in [one for one in late if one.call_id in engine.window.history.open_calls]:
            self._calls.result(result.call_id, result.content, result.error)
        new = slice(first, first + plan.instead)
        with engine.lock, engine.atomic:
            given_up(engine, DROPPED)
            if any(one.content is not None for one in read.messages[new]):
                with suppress(Vetoed):
                    engine.renew(None)
            made, kind = [], SUMMARY
            for message, told in zip(read.messages[new], read.known[new], strict=True):
                made.append(replace(told, entry=self._stands_in(message, kind)))
                kind = kind if message.content is None else ""
            kept = known[len(known) - plan.tail :] if plan.tail else ()
            engine.commit(r.Synced(plan.keep, (*made, *kept)))

    def _stands_in(self, message: ListedMessage, kind: str) -> int:
        """Take in a message that stands where others stood: its entry, 0 for one that is none.

        The first of the user's sums up what went. A call in it was made before, and is known.
        """
        engine = self._engine
        entry = engine.window.history.next_id
        if message.content is not None:
            engine.commit(*heard(engine, [*message.content], kind))
        elif message.reply is not None and spoken(message.reply) and not message.reply.calls:
            records, self._calls.reply = replied(engine, message.reply)
            engine.commit(*records)
        return entry if engine.window.history.next_id > entry else 0


def _lead(read: HostMessages) -> int:
    """How many messages at the head are instructions."""
    systems = (at for at, one in enumerate(read.messages) if one.system is None)
    return next(systems, len(read.messages))
