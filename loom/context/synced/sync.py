"""Taking in a host's list: compared with what is known, then extended, undone or renewed.

A reply given by `Context.reply`, or a message given by `Context.user`, may be missing from the next
list, or come later in it: the process died before the host wrote its list, a stream broke, or a
guard refused the reply. What the list says holds: the window goes back to the request before that
reply or message, and the request is made again."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock

from msgspec.structs import replace

from loom.context.results import HostCalls
from loom.context.synced.host_messages import (
    HostMessages,
    equal_head_size,
    longest_known_head,
    message_list,
)
from loom.context.synced.list_compaction import ListCompaction
from loom.context.synced.list_plan import ListFate, plan_list
from loom.context.synced.list_taker import ListTaker
from loom.context.synced.message_keys import needs_no_entry
from loom.context.synced.unlisted_entries import UnlistedEntries
from loom.context.undo import go_back_to_commit
from loom.providers.caching import MarkLifetime
from loom.providers.formats.listing import ListedMessage
from loom.providers.formats.wire import content_text
from loom.providers.render.wording import TextFate
from loom.session import Engine
from loom.session.archive.page_reader import readable_text
from loom.session.head import put_text
from loom.session.locking import one_call
from loom.typed import bad_argument
from loom_partitions import records as r
from loom_partitions.journaled import SyncedMessage

INSTRUCTIONS = "instructions of the list"  # apart from those `Context.system` puts

RETRACTED = TextFate("removed", ", they no longer hold")


class HostListSync:
    """Takes in a host's whole list each time the host gives it."""

    def __init__(self, engine: Engine, calls: HostCalls) -> None:
        self._engine = engine
        self._calls = calls
        self._guard = RLock()  # one list at a time; a tool's result may be summed up meanwhile
        self._read: HostMessages | None = None
        self.model = ""  # who made the replies, where the window names no model

    def take(
        self, messages: object, format: str, system: object, compacted: bool | None
    ) -> MarkLifetime:
        """Take in a whole list; the parameters are those of `Context.sync`. Return how long the
        provider's cache is to keep the messages, by the list's cache marks. Raises BadInput."""
        if not isinstance(system, str | list | tuple | dict | None):
            raise bad_argument("sync", "system", "a text, or parts of one", type(system).__name__)
        engine = self._engine
        with self._guard:
            with engine.lock, engine.atomic:
                salt = engine.window.config.mark
            given, read = message_list(messages), self._read
            if read is None or read.format != format:
                read = HostMessages(format, salt)
            self._read = None  # an interrupt may leave it half read: then it is read anew
            read.update(given, engine.window.config.model or self.model)
            self._read = read
            others = (at for at, one in enumerate(read.messages) if one.system is None)
            lead = next(others, len(read.messages))  # instructions stand before them
            keep = self._go_back_to_list(read, lead, compacted)
            self._put_instructions(content_text(system), read, lead)
            while self._undo_unlisted_entries(read, lead + keep):
                keep = self._go_back_to_list(read, lead, compacted)
            taker = ListTaker(engine, self._calls, keep, format)
            taker.take(read.messages[lead:], read.known[lead:])
            return read.lasting

    def _go_back_to_list(self, read: HostMessages, lead: int, compacted: bool | None) -> int:
        """Undo messages, or renew if the client compacted, until the known messages are the first
        messages of the list. Return their number, without the first `lead` messages (instructions).
        `compacted` is as in `Context.sync`."""
        engine, keys, known = self._engine, read.keys[lead:], read.known[lead:]
        while True:
            with engine.lock, engine.atomic:
                host = engine.workspace.folded.host
                keep, done = equal_head_size(host.keys, keys), host.compaction
                replies = UnlistedEntries(engine, read.format).replies(host.last_entry)
                # Of a reply the host gave its list may not know yet.
                if keep == len(host) and (not host.goes_on(keys) or any(replies)):
                    return keep
                base = longest_known_head(engine.workspace, keys)
                if keep == len(host) == base.many:
                    return keep
                made = ListCompaction(engine, self._calls, read, lead)
                edited = host.at(done.before)[keep:][:1] if done and keep < done.head else ()
                before = sum(one.size for one in edited)
                state = base.many, before, made.is_standing
                plan = plan_list(host.messages, known, keep, compacted, *state)
                if plan.how is ListFate.CLEARED:
                    self._note_cleared(known, keep)
                    continue
                if plan.how is ListFate.REWOUND:
                    go_back_to_commit(
                        engine, longest_known_head(engine.workspace, host.keys[: plan.keep]).commit
                    )
                    continue
            if plan.how is ListFate.COMPACTED:
                made.compact(plan)
            # A head that was a list is gone back to, but for one of what a client wrote anew.
            elif not done or base.many >= keep + (keep < done.head) or not made.again(done, keep):
                with engine.lock, engine.atomic:
                    go_back_to_commit(engine, base.commit, made.listed_call_ids)

    def _note_cleared(self, given: Sequence[SyncedMessage], keep: int) -> None:
        """Commit the hashes of the short texts that a client put in place of old results, from
        message `keep` on. The entries keep the old results."""
        known = self._engine.workspace.folded.host.messages[keep:]
        now = zip(known, given[keep:], strict=False)
        told = tuple(replace(two, entry=one.entry) for one, two in now)
        self._engine.commit(r.Synced(keep, told))

    @one_call
    def _undo_unlisted_entries(self, read: HostMessages, first: int) -> bool:
        """Undo entries that the host gave itself (by `Context.user` or `reply`) and that the list,
        from message `first` on, lacks or has in another order. Return True if anything was undone.
        """
        engine = self._engine
        last = engine.workspace.folded.host.last_entry
        left = _first_unlisted_entry(
            UnlistedEntries(engine, read.format), last, read.messages[first:]
        )
        if left:
            go_back_to_commit(engine, engine.workspace.index.commits[left][0] - 1)
        return bool(left)

    def _put_instructions(self, system: str, read: HostMessages, lead: int) -> None:
        """Put the text `system` and the list's first `lead` messages into C_system as instructions.
        If both are empty, remove the list's earlier instructions."""
        said = [system, *(one.system or "" for one in read.messages[:lead])]
        text = "\n\n".join(filter(None, said))
        if text:
            put_text(self._engine, "system", INSTRUCTIONS, text)
        else:
            self._retract_instructions()

    @one_call
    def _retract_instructions(self) -> None:
        """Remove the list's instructions from C_system. A notice, which stays until the next cut,
        tells the model."""
        engine = self._engine
        known = engine.window.system.get(INSTRUCTIONS)
        if known is not None and readable_text(engine.workspace, known):
            held = engine.ingest.held("system", "", 0)
            notice = engine.ingest.gone("system", INSTRUCTIONS, RETRACTED)
            engine.commit(r.Shelved("system", INSTRUCTIONS, notice, held))


def _first_unlisted_entry(given: UnlistedEntries, last: int, new: Sequence[ListedMessage]) -> int:
    """Return the lowest id, above `last`, of an entry that the host gave itself and that the `new`
    messages lack or have out of order. Return 0 if there is none."""
    if not given.any(last):
        return 0
    told = [message for message in new if not needs_no_entry(message)]
    found: list[int] = []
    for at, message in enumerate(told):
        if not (entry := given.find(message, last)):
            found = [id for one in told[at + 1 :] if (id := given.find(one, last))]
            break
        last = entry
    if last:  # before a list is known there may be a session that is none of it
        found += [id for id, one in given.replies(last) if not given.is_own_step(one)]
        found += given.user_message_ids(last)
    return min(found, default=0)
