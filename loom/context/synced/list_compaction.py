"""A client compacted its own list: it put texts in the place of messages. These texts begin a fresh
window, and the messages the client kept stay in it as the entries they are.

Theory of operation. New entries only ever come last, so a client's summary comes behind the
messages the client kept; a line in the summary says that messages above it may be newer. The user's
last message, while nobody has answered it, is taken in again behind the summary. Some of the
messages a client puts in the place of others are known already: what the user said, or a reply that
the cut went through. Those keep their entries; only new messages become entries.

Whatever role they have, messages that a client puts in the place of others are its own words: files
it reads again, reminders, a question to itself. The user's words are only the messages known
before, and the last question: the last message, or the last text of the message that sums up.

When messages that a client kept are edited later, Loom goes back to the list before the compaction,
undoes the edited messages there, and compacts again, so that the other messages keep their entries.
It does the same when a client rewrites the texts it put in the place of messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from loom.context.inputs import heard_records, provider_item_records
from loom.context.open_calls import give_up_open_calls
from loom.context.results import HostCalls
from loom.context.synced.host_messages import HostMessages, longest_known_head
from loom.context.synced.list_plan import ListFate, ListPlan, Messages
from loom.context.synced.list_taker import (
    DROPPED,
    INSTRUCTIONS,
    orphan_result_text,
    results_before_reply,
)
from loom.context.synced.unlisted_entries import UnlistedEntries
from loom.context.undo import go_back_to_commit
from loom.errors import VETOED, BadInput
from loom.inputs import Speech
from loom.providers.formats.listing import ListedMessage, provider_items
from loom.reduce.client_notes import typed_text
from loom.session import Engine
from loom.session.archive.host_list import Compaction
from loom_partitions import records as r
from loom_partitions.journaled import SyncedMessage

QUOTED = "observation"  # what a client writes there in the name of the model or a tool
SUMMARY = "summary"  # whose words stand for messages a client compacted
DIGEST = 1_000  # tokens beside those it kept, for a digest of what leaves (judgement)


class ListCompaction:
    """Takes in a host's list after its client compacted it. The first `lead` messages of the list
    are instructions and are skipped."""

    def __init__(self, engine: Engine, calls: HostCalls, read: HostMessages, lead: int) -> None:
        self._engine = engine
        self._calls = calls
        self._messages = read.messages[lead:]
        self._known = read.known[lead:]
        self._format = read.format
        self._given = UnlistedEntries(engine, read.format)

    def compact(self, plan: ListPlan, *, exact: bool = False) -> None:
        """Begin a fresh window with the messages that the client wrote in place of older ones;
        `plan` says where the list has them. If the client only removed messages, no fresh window
        begins. Unless `exact` is True, `plan.instead` is counted anew if the client kept no later
        message."""
        engine, first = self._engine, plan.keep
        late = (result for one in self._messages[first:] for result in one.results)
        for result in [one for one in late if one.call_id in engine.window.history.open_calls]:
            self._calls.result(result.call_id, result.content, result.error, self._format)
        with engine.lock, engine.atomic:
            give_up_open_calls(engine, DROPPED)
            if plan.instead and first + plan.instead + plan.tail == len(self._messages):
                plan = self._without_last_message(plan)
            known = engine.workspace.folded.host.messages
            many = plan.instead if plan.tail or exact else self._count_stand_ins(first)
            new = range(first, first + many)
            places = [*self._with_known_entries([self._known[at] for at in new], known)]
            steps = [
                place.entry or self._standing_step(at)
                for at, place in zip(new, places, strict=True)
            ]
            told = [self._messages[at] for at in new]
            if any(
                _says_something(one) for one, entry in zip(told, steps, strict=True) if not entry
            ):
                try:
                    engine.renew(
                        *self._history_to_keep(known[len(known) - plan.tail :] if plan.tail else ())
                    )
                except BadInput as error:
                    if error.kind != VETOED:
                        raise
            records, made = list[r.Record](), list[SyncedMessage]()
            begin = engine.window.history.next_id
            for message, place, entry in zip(told, places, steps, strict=True):
                if not entry and _says_something(message):
                    entry = begin + len(records)
                    if message.reply is not None:
                        records += provider_item_records(engine, message.reply, entry)
                    for texts, kind in self._summary_parts(message):
                        records += heard_records(engine, texts, kind, begin + len(records))
                made.append(replace(place, entry=entry))
            kept = known[len(known) - plan.tail :] if plan.tail else []
            # One commit: a process that dies has taken in all of it or nothing.
            engine.commit(*records, r.Synced(first, (*made, *kept), len(kept)))

    def again(self, done: Compaction, keep: int) -> bool:
        """Undo an earlier compaction (`done`) and compact the list anew, because the list was
        edited after its first `keep` messages. Return False, with nothing done, if the edit changed
        no message of the compaction."""
        engine = self._engine
        with engine.lock, engine.atomic:
            host = engine.workspace.folded.host
            kept = done.head <= keep
            instead = done.instead if kept else self._count_rewritten(done, keep, host.keys)
            if instead < 0 or keep >= done.whole:
                return False
            before = [one.key for one in host.at(done.before)]
            gone = len(before) - done.kept
            base = longest_known_head(
                engine.workspace, before[: gone + keep - done.head] if kept else before
            )
            if base.many < done.keep:
                return False
            go_back_to_commit(engine, base.commit, self.listed_call_ids)
        tail = max(base.many - gone, 0)
        self.compact(ListPlan(ListFate.COMPACTED, done.keep, tail, instead), exact=True)
        return True

    def _count_rewritten(self, done: Compaction, keep: int, keys: Sequence[str]) -> int:
        """Return how many messages now stand in place of older ones, if the client rewrote the
        texts that it had put there. Return -1 if it did not."""
        given = [one.key for one in self._known]
        behind = keep + 1 < len(keys) and given[keep + 1 : keep + 2] == [keys[keep + 1]]
        if keep < done.keep or (keep == done.keep and not behind):
            return -1
        first = keys[done.head] if done.head < len(keys) else None
        return (given.index(first) if first in given[keep:] else done.head) - done.keep

    @property
    def listed_call_ids(self) -> set[str]:
        """The ids of all calls in the list."""
        return {call.id for one in self._messages if one.reply for call in one.reply.calls}

    def _summary_parts(self, message: ListedMessage) -> Iterator[tuple[list[Any], str]]:
        """Split a message that the client wrote in place of older ones. Yield (texts and other
        parts, kind): first the client's own words, then the user's last question, each unless
        empty. `kind` is as in `Context.user`."""
        told = self._stand_in_parts(message)
        kind = INSTRUCTIONS if message.system else SUMMARY
        kind = QUOTED if message.reply is not None or message.results else kind
        behind = self._messages[self._messages.index(message) + 1 :]
        mine = (
            _last_typed_text(told) if kind == SUMMARY and all(one.system for one in behind) else []
        )
        for texts, voice in ((told[: len(told) - len(mine)], kind), (mine, "")):
            if texts:
                yield texts, voice

    def _without_last_message(self, plan: ListPlan) -> ListPlan:
        """Undo the user's last messages if no reply followed: the list brings them again after the
        summary. Return the plan without these messages."""
        workspace = self._engine.workspace
        known = workspace.folded.host.messages
        asked = next((n for n, one in enumerate(reversed(known)) if one.role != "user"), len(known))
        if not 0 < asked <= plan.tail:
            return plan
        base, least = (
            longest_known_head(workspace, [one.key for one in known[:-asked]]),
            len(known) - plan.tail,
        )
        if base.many < least:
            return plan
        go_back_to_commit(self._engine, base.commit)
        return replace(plan, tail=base.many - least)

    def _with_known_entries(self, given: Messages, known: Messages) -> Iterator[SyncedMessage]:
        """Yield each of the `given` messages with the id of its entry, in the window or from an
        earlier list; 0 if it has none."""
        workspace = self._engine.workspace
        held: dict[str, list[int]] = {}
        for one in known:
            held.setdefault(one.key, []).append(one.entry)
        before = workspace.folded.host.entries
        used: set[tuple[str, int]] = set()
        for one in given:
            entries = [*held.get(one.key, ()), *before.get(one.key, ())]
            standing = (e for e in entries if e and not workspace.index.is_undone(e))
            left = (e for e in standing if (one.key, e) not in used)
            entry = next(left, 0)
            used.add((one.key, entry))
            yield replace(one, entry=entry)

    def _count_stand_ins(self, first: int) -> int:
        """Guess how many messages, from number `first` on, the client wrote in place of older ones:
        all before the first clearly new message, or before the user's last message."""
        last = self._engine.workspace.folded.host.last_entry
        for at in range(first, len(self._messages)):
            one = self._messages[at]
            new = one.reply is not None and bool(one.reply.calls) and not self._standing_step(at)
            if new or (one.reply and (provider_items(one.reply) or self._given.find(one, last))):
                return at - first
        # What the user says last, behind a summary, is said now, though it was said before; behind
        # it a client may list reminders, system messages.
        told = [at for at, one in enumerate(self._known) if at >= first and one.role != "system"]
        asked = told[-1] if told else len(self._known)
        before = self._known[first:asked]
        summed = any(one.role != "tool" and not self.is_standing(one) for one in before)
        if not summed or self._known[asked].role != "user":
            asked = len(self._known)
        return asked - first

    def _history_to_keep(self, known: Messages) -> tuple[int | None, frozenset[int]]:
        """Return (the most tokens of history in the fresh window, the ids of entries to keep
        unshortened). `known` are the messages that the client kept. There are no ids if the whole
        history fits; if the kept entries do not fit, (None, no ids): the renewal chooses."""
        window, wanted = self._engine.window, {one.entry for one in known}
        room = int(window.limits.capacity * window.limits.low_water) - window.tokens.protected
        if window.tokens.history <= room:
            return room, frozenset()
        held = {one.id: one.tokens for one in window.history.stream.entries if one.id in wanted}
        least = sum(held.values()) + DIGEST
        usual = window.low - window.tokens.protected
        return (max(least, usual), frozenset(held)) if least <= room else (None, frozenset())

    def is_standing(self, message: SyncedMessage) -> bool | None:
        """Return True if a message has an entry that is not undone, False if all its entries are
        undone, None if no list ever had the message."""
        workspace = self._engine.workspace
        held = workspace.folded.host.entries.get(message.key)
        return any(not workspace.index.is_undone(entry) for entry in held) if held else None

    def _standing_step(self, at: int) -> int:
        """Return the id of the step, not undone, that holds message number `at`; 0 if no step holds
        it."""
        message = self._messages[at]
        if message.reply is not None:
            return self._given.step(message.reply, results_before_reply(self._messages[at + 1 :]))
        if not message.results or not all(map(self._given.is_same_result, message.results)):
            return 0
        index = self._engine.workspace.index
        step = index.calls.get(message.results[0].call_id, 0)
        return 0 if index.is_undone(step) else step

    def _stand_in_parts(self, message: ListedMessage) -> list[Any]:
        """Return the texts and other parts of a message that the client wrote in place of older
        ones. Calls and results become texts ("[called read_file {…}]")."""
        told: list[Any] = [message.system] if message.system else []
        if message.reply is not None:
            told += [part.text for part in message.reply.parts if isinstance(part, Speech)]
            told += [f"[called {call.name} {call.arguments}]" for call in message.reply.calls]
        told += [orphan_result_text(self._engine, one) for one in message.results]
        return [*told, *(message.content or ())]


def _last_typed_text(texts: list[Any]) -> list[Any]:
    """Return the user's question at the end of a message: the last part that a user may have typed
    or attached, and all parts after this part. Return [] if the message has only one such part."""
    at = [at for at, one in enumerate(texts) if not isinstance(one, str) or typed_text(one).strip()]
    return texts[at[-1] :] if len(at) > 1 else []


def _says_something(message: ListedMessage) -> bool:
    """Return True for a message that has some content; False for an empty reply."""
    said = message.content is not None or bool(message.system or message.results)
    return said or (message.reply is not None and bool(message.reply.parts))
