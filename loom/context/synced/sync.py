"""Taking in a host's list: compared with what is known, then extended, undone or renewed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import RLock

from msgspec.structs import replace

from loom.context.inputs import heard, replied
from loom.context.open_calls import given_up
from loom.context.results import HostCalls
from loom.context.synced.heads import same_head
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
                salt = engine.window.config.mark
            given, read = listed_in(messages), self._read
            if read is None or read.format != format:
                read = HostMessages(format, salt)
            self._read = None  # an interrupt may leave it half read: then it is read anew
            read.update(given)
            self._read = read
            lead = _lead(read)
            keep = self._compared(read, lead, compacted)
            self._instruct(text_of(system), read, lead)
            while self._dropped(read, lead + keep):
                keep = self._compared(read, lead, compacted)
            ListTaker(engine, self._calls, keep).take(read.messages[lead:], read.known[lead:])

    def _compared(self, read: HostMessages, lead: int, compacted: bool | None) -> int:
        """Undo what the host took back and renew where it compacted, until what is known heads the
        list: how many messages that is."""
        while True:
            engine = self._engine
            with engine.lock, engine.atomic:
                host = engine.workspace.folded.host
                keep = same_head(host.keys, read.keys[lead:])
                plan = planned(host.messages, read.known[lead:], keep, compacted)
                if plan.how is How.EDITED:
                    self._back(plan.keep)
            if plan.how is How.COMPACTED:
                self._compact(plan, read, lead)
            elif plan.how is How.EXTENDED:
                return plan.keep

    def _dropped(self, read: HostMessages, first: int) -> bool:
        """Undo replies that the list does not go on with, from message `first` on."""
        engine = self._engine
        with engine.lock, engine.atomic:
            last = engine.workspace.folded.host.last_entry
            return drop_unlisted(engine, last, read.messages[first:])

    def _instruct(self, system: str, read: HostMessages, lead: int) -> None:
        """Put the instructions in their place: those given apart, and those that lead the list."""
        said = [system, *(one.system or "" for one in read.messages[:lead])]
        if text := "\n\n".join(filter(None, said)):
            put(self._engine, "system", "instructions", text)

    def _back(self, keep: int) -> None:
        """Undo what followed the last request that holds no more than `keep` messages.

        Where a client compacted since, that is the one before it did, and the list known then is
        the one compared next.
        """
        engine = self._engine
        host, index = engine.workspace.folded.host, engine.workspace.index
        stood, before = host.stood(), host.state
        for turn in sorted((*index.requests, 0), reverse=True):
            commit = index.commit_of(turn)
            many = stood(commit)
            if not index.is_left(commit) and (many is None or many <= keep):
                undo(engine, turn, brief=True)
                break
        if host.state is before:  # none of it became an entry, so there was nothing to undo
            engine.commit(r.Synced(keep, ()))

    def _compact(self, plan: ListPlan, read: HostMessages, lead: int) -> None:
        """Begin a fresh window with what the client put in the place of messages.

        What is known to have been said stays as Loom keeps it, so a list that was only trimmed
        changes nothing here.
        """
        engine, first = self._engine, lead + plan.keep
        late = (result for one in read.messages[first:] for result in one.results)
        for result in [one for one in late if one.call_id in engine.window.history.open_calls]:
            self._calls.result(result.call_id, result.content, result.error)
        new = slice(first, first + (plan.instead if plan.tail else self._made_before(read, first)))
        with engine.lock, engine.atomic:
            given_up(engine, DROPPED)
            known = engine.workspace.folded.host.messages
            told = [*zip(read.messages[new], self._placed(read.known[new], known), strict=True)]
            if any(one.content is not None and not place.entry for one, place in told):
                with suppress(Vetoed):
                    engine.renew(None)
            made, kind = [], SUMMARY
            for message, place in told:
                entry = place.entry or self._stands_in(message, kind)
                made.append(replace(place, entry=entry))
                kind = kind if message.content is None or place.entry else ""
            engine.commit(r.Synced(plan.keep, (*made, *known[len(known) - plan.tail :])))

    def _placed(
        self, given: Sequence[SyncedMessage], known: Sequence[SyncedMessage]
    ) -> Iterator[SyncedMessage]:
        """The messages, each with the entry it has: clients keep some of those they sum up."""
        entries: dict[str, list[int]] = {}
        for one in known:
            entries.setdefault(one.key, []).append(one.entry)
        for one in given:
            found = entries.get(one.key)
            yield replace(one, entry=found.pop(0)) if found else one

    def _made_before(self, read: HostMessages, first: int) -> int:
        """How many messages from one on hold no call that is new."""
        replies = ((at, one.reply) for at, one in enumerate(read.messages[first:]) if one.reply)
        new = (at for at, reply in replies if reply.calls and not self._step_of(reply.calls[0].id))
        return next(new, len(read.messages) - first)

    def _step_of(self, call: str) -> int:
        """The step of a call that was made before and stands; 0 for none."""
        index = self._engine.workspace.index
        step = index.calls.get(call, 0)
        return 0 if index.is_undone(step) else step

    def _stands_in(self, message: ListedMessage, kind: str) -> int:
        """Take in a message that stands where others stood: its entry, 0 for one that is none.

        The first of the user's sums up what went. A call that was made before is not made again.
        """
        engine = self._engine
        entry = engine.window.history.next_id
        calls = [one.call_id for one in message.results]
        calls += [one.id for one in message.reply.calls] if message.reply else []
        if message.content is not None:
            engine.commit(*heard(engine, [*message.content], kind))
        elif message.reply is not None and spoken(message.reply) and not calls:
            records, self._calls.reply = replied(engine, message.reply)
            engine.commit(*records)
        made = entry if engine.window.history.next_id > entry else 0
        return made or next(filter(None, map(self._step_of, calls)), 0)


def _lead(read: HostMessages) -> int:
    """How many messages at the head are instructions."""
    systems = (at for at, one in enumerate(read.messages) if one.system is None)
    return next(systems, len(read.messages))
