"""Taking in a host's list: compared with what is known, then extended, undone or renewed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import RLock
from typing import Any

from msgspec.structs import replace

from loom.context.inputs import heard
from loom.context.open_calls import given_up
from loom.context.results import HostCalls
from loom.context.synced.back import taken_back
from loom.context.synced.given import GivenEntries
from loom.context.synced.heads import same_head
from loom.context.synced.plan import How, ListPlan, planned
from loom.context.synced.reading import HostMessages, listed_in
from loom.context.synced.taking import DROPPED, ORPHAN, ListTaker
from loom.context.synced.unlisted import drop_unlisted
from loom.engine import Engine
from loom.engine.head import put
from loom.engine.undo import undo_from
from loom.errors import Vetoed
from loom.inputs import Speech
from loom.providers.formats.listing import ListedMessage, items_of
from loom.providers.formats.wire import text_of
from loom.typed import BadArgument
from loom_partitions import records as r
from loom_partitions.synced import SyncedMessage

INSTRUCTIONS = "instructions of the list"  # apart from those `Context.system` puts
QUOTED = "observation"  # what a client writes there in the name of the model or a tool
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
        if not isinstance(system, str | list | tuple | dict | None):
            raise BadArgument("sync", "system", "a text, or parts of one", type(system).__name__)
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
        text = "\n\n".join(filter(None, said))
        if text or self._engine.window.system.get(INSTRUCTIONS) is not None:
            put(self._engine, "system", INSTRUCTIONS, text)

    def _back(self, keep: int) -> None:
        """Undo what followed the first `keep` messages."""
        engine = self._engine
        host = engine.workspace.folded.host
        before = host.state
        if commit := taken_back(engine.workspace, keep).commit:
            undo_from(engine, commit)
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
            if plan.instead and first + plan.instead + plan.tail == len(read.messages):
                plan = self._without_asked(plan)
            known = engine.workspace.folded.host.messages
            told = [*zip(read.messages[new], self._placed(read.known[new], known), strict=True)]
            fresh = (one for one, place in told if not place.entry)
            if any(one.content is not None or one.system for one in fresh):
                with suppress(Vetoed):
                    engine.renew(None)
            # One commit: a process that dies has taken in all of it or nothing.
            made, records, kind = [], list[r.Record](), SUMMARY
            first_id = engine.window.history.next_id
            for message, place in told:
                entry = place.entry or self._known_call(message)
                if not entry and (texts := _stand_in(message)):
                    entry = first_id + len(records)
                    # Nobody but the user speaks with the user's voice.
                    theirs = message.reply is not None or bool(message.results)
                    records += heard(engine, texts, QUOTED if theirs else kind, entry)
                    kind = kind if theirs else ""
                made.append(replace(place, entry=entry))
            kept = known[len(known) - plan.tail :]
            engine.commit(*records, r.Synced(plan.keep, (*made, *kept)))

    def _without_asked(self, plan: ListPlan) -> ListPlan:
        """The plan without what the user said last: nobody has answered it, so it is undone, to be
        taken in again behind the summary."""
        workspace = self._engine.workspace
        known = workspace.folded.host.messages
        asked = next((n for n, one in enumerate(reversed(known)) if one.role != "user"), len(known))
        if not 0 < asked <= plan.tail:
            return plan
        point, least = taken_back(workspace, len(known) - asked), len(known) - plan.tail
        if not point.commit or point.stands is None or point.stands < least:
            return plan
        undo_from(self._engine, point.commit)
        return replace(plan, tail=point.stands - least)

    def _placed(
        self, given: Sequence[SyncedMessage], known: Sequence[SyncedMessage]
    ) -> Iterator[SyncedMessage]:
        """The messages, each with the entry it has: clients keep some of those they sum up, and
        bring some back. What the user says last, behind a summary, is said anew."""
        workspace = self._engine.workspace
        held: dict[str, list[int]] = {}
        for one in known:
            held.setdefault(one.key, []).append(one.entry)
        before, fresh = workspace.folded.host.entries, False
        used: set[tuple[str, int]] = set()
        for at, one in enumerate(given, 1):
            entries = [*held.get(one.key, ()), *before.get(one.key, ())]
            standing = (e for e in entries if e and not workspace.index.is_undone(e))
            left = (e for e in standing if (one.key, e) not in used)
            entry = 0 if fresh and at == len(given) and one.role == "user" else next(left, 0)
            used.add((one.key, entry))
            fresh = fresh or not entry
            yield replace(one, entry=entry)

    def _made_before(self, read: HostMessages, first: int) -> int:
        """How many messages from one on stand for others: the next holds a call that is new, or an
        item of the provider's own, or is a reply the host gave."""
        given, last = GivenEntries(self._engine), self._engine.workspace.folded.host.last_entry
        for at, one in enumerate(read.messages[first:]):
            calls = one.reply.calls if one.reply else ()
            new = bool(calls) and not self._step_of(calls[0].id)
            if new or (one.reply and (items_of(one.reply) or given.find(one, last))):
                return at
        return len(read.messages) - first

    def _step_of(self, call: str) -> int:
        """The step of a call that was made before and stands; 0 for none."""
        index = self._engine.workspace.index
        step = index.calls.get(call, 0)
        return 0 if index.is_undone(step) else step

    def _known_call(self, message: ListedMessage) -> int:
        """The step of a call or result that was made before, 0 for any other message."""
        calls = [one.call_id for one in message.results]
        calls += [one.id for one in message.reply.calls] if message.reply else []
        return next(filter(None, map(self._step_of, calls)), 0)


def _stand_in(message: ListedMessage) -> list[Any]:
    """What a message says that stands where others stood: texts and parts. A call that nobody knows
    is told as a text, since there is nothing behind it."""
    told: list[Any] = [message.system] if message.system else []
    if message.reply is not None:
        told += [part.text for part in message.reply.parts if isinstance(part, Speech)]
        told += [f"[called {call.name} {call.arguments}]" for call in message.reply.calls]
    for one in message.results:
        text = one.content if isinstance(one.content, str) else text_of(one.content)
        told.append(ORPHAN.format(id=one.call_id, text=text))
    return [*told, *(message.content or ())]


def _lead(read: HostMessages) -> int:
    """How many messages at the head are instructions."""
    systems = (at for at, one in enumerate(read.messages) if one.system is None)
    return next(systems, len(read.messages))
