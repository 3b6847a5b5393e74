"""Taking in a host's list: compared with what is known, then extended, undone or renewed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import RLock

from msgspec.structs import replace

from loom.context.inputs import heard
from loom.context.open_calls import given_up
from loom.context.results import HostCalls
from loom.context.synced.plan import How, ListPlan, planned
from loom.context.synced.reading import HostMessages, listed_in
from loom.context.synced.taking import DROPPED, ListTaker
from loom.engine import Engine
from loom.engine.head import put
from loom.engine.undo import undo
from loom.errors import Vetoed
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
            if plan.how is How.EDITED:
                plan = self._back(plan)
            self._instruct(text_of(system), read, lead)
            if plan.how is How.COMPACTED:
                self._compact(plan, known, read, lead)
                plan = replace(plan, keep=plan.keep + plan.instead + plan.tail)
            entries = engine.workspace.folded.host.messages
            last = max((one.entry for one in entries), default=0)
            taker = ListTaker(engine, self._calls, plan.keep, last)
            taker.take(read.messages[lead:], given)

    def _instruct(self, system: str, read: HostMessages, lead: int) -> None:
        """Put the instructions in their place: those given apart, and those that lead the list."""
        said = [system, *(one.system or "" for one in read.messages[:lead])]
        if text := "\n\n".join(filter(None, said)):
            put(self._engine, "system", "instructions", text)

    def _back(self, plan: ListPlan) -> ListPlan:
        """Undo what followed the last request that holds no more than what stands."""
        engine = self._engine
        with engine.lock, engine.atomic:
            host, index = engine.workspace.folded.host, engine.workspace.index
            for turn in sorted(index.requests, reverse=True):
                commit = index.requests[turn]
                if not index.is_past(commit) and host.length_at(commit) <= plan.keep:
                    break
            else:
                turn = 0
            undo(engine, turn, brief=True)
            return ListPlan(How.EXTENDED, len(engine.workspace.folded.host))

    def _compact(
        self, plan: ListPlan, known: Sequence[SyncedMessage], read: HostMessages, lead: int
    ) -> None:
        """Begin a fresh window with what the client put in the place of messages.

        What is known to have been said stays as Loom keeps it, so a list that was only trimmed
        changes nothing here.
        """
        engine, first = self._engine, lead + plan.keep
        new = [
            (message, told)
            for message, told in zip(
                read.messages[first : first + plan.instead],
                read.known[first : first + plan.instead],
                strict=True,
            )
        ]
        with engine.lock, engine.atomic:
            given_up(engine, DROPPED)
            said = [message for message, _ in new if message.content is not None]
            if said:
                with suppress(Vetoed):
                    engine.renew(None)
            made, kind = [], SUMMARY
            for message, told in new:
                entry = 0
                if message.content is not None:
                    entry = engine.window.history.next_id
                    engine.commit(*heard(engine, [*message.content], kind))
                    kind = ""
                made.append(replace(told, entry=entry))
            kept = known[len(known) - plan.tail :] if plan.tail else ()
            engine.commit(r.Synced(plan.keep, (*made, *kept)))


def _lead(read: HostMessages) -> int:
    """How many messages at the head are instructions."""
    systems = (at for at, one in enumerate(read.messages) if one.system is None)
    return next(systems, len(read.messages))
