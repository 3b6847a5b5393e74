"""Entries that the host gave itself before its list has them (by `Context.user`, `reply`,
`result`).

Such an entry is matched with a message of the list by its calls or its words. Entries that no host
lists, such as those of calls that Loom answers itself, are skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from loom.context.synced.message_keys import call_key, speech_key, with_single_spaces
from loom.inputs import Reply, ToolCall
from loom.providers.formats.blocks import is_derived_id
from loom.providers.formats.listing import ListedMessage, ListedResult, provider_items
from loom.session import Engine
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.restore import Restored, entry_as_arrived, restore_entry
from loom.session.attachments import OwnPart, content_pieces
from loom.session.head import own_tool_names
from loom_partitions.records import HandedOver, Heard


class UnlistedEntries:
    """The entries after the last entry that the host's list has. A parameter `after` is an entry
    id: only entries with a higher id are looked at."""

    def __init__(self, engine: Engine, format: str) -> None:
        self._engine = engine
        self._format = format  # of the list

    def any(self, after: int) -> bool:
        """Return True if there is an unlisted entry with an id above `after`."""
        return next(self._entry_ids(after), 0) > 0

    def find(self, message: ListedMessage, after: int) -> int:
        """Return the id of the first entry above `after` with the same content as this message of
        the list, 0 if no entry has it."""
        if (reply := message.reply) is not None:
            same = (id for id, one in self.replies(after) if self._is_same_reply(reply, one))
            return next(same, 0)
        if message.content is None:
            return 0
        content = message.content or ("",)
        for _, ids in groupby(self._entry_ids(after), self._commit_of):
            group = [*ids]
            if len(group) <= len(content) and self._is_same_user_message(group, content):
                return group[0]
        return 0

    def replies(self, after: int) -> Iterator[tuple[int, Restored]]:
        """Yield (id, entry) of each reply above `after` that was not made from a child's result."""
        workspace = self._engine.workspace
        for id in self._entry_ids(after):
            made = workspace.records(self._commit_of(id))
            if any(isinstance(one, HandedOver) and one.child for one in made):
                continue
            with suppress(*UNREADABLE):
                if (found := restore_entry(workspace, id)).reply is not None:
                    yield id, found

    def user_message_ids(self, after: int) -> Iterator[int]:
        """Yield the ids above `after` of entries with the user's own words."""
        # No host lists observations and instructions.
        workspace = self._engine.workspace
        for id in self._entry_ids(after):
            heard = (one.turn for one in workspace.about(id) if isinstance(one, Heard))
            if any(not one.voice and not one.source for one in heard):
                yield id

    def is_own_step(self, entry: Restored) -> bool:
        """Return True for a step with calls of Loom's own tools alone: no host lists such steps."""
        reply = entry.reply
        return reply is not None and bool(reply.calls) and not self.host_calls(reply)

    def host_calls(self, reply: Reply) -> list[ToolCall]:
        """Return the calls of a reply that the host has to run."""
        mine = own_tool_names(self._engine)
        return [call for call in reply.calls if call.name not in mine]

    def _entry_ids(self, after: int) -> Iterator[int]:
        """Yield the ids above `after`, oldest first, of entries that are not undone and not made in
        the same commit as a listed entry."""
        index, listed = self._engine.workspace.index, self._engine.workspace.folded.host.listed
        made = self._commit_of(after) if after in index else 0
        for id in range(after + 1, self._engine.window.history.next_id):
            if listed[id]:
                made = self._commit_of(id)
            known = id not in index or self._commit_of(id) == made
            if not known and not index.is_undone(id):
                yield id

    def _commit_of(self, entry: int) -> int:
        """Return the number of the commit that made an entry."""
        return self._engine.workspace.index.commits[entry][0]

    def _is_same_user_message(self, entries: Sequence[int], content: Sequence[Any]) -> bool:
        """Return True if the entries are a user's message with this content: one entry for each
        part, in order, with the same text or bytes."""
        workspace, given = self._engine.workspace, content_pieces([*content], self._format)
        if len(given) != len(entries):
            return False
        for entry, piece in zip(entries, given, strict=True):
            if not any(isinstance(one, Heard) for one in workspace.about(entry)):
                return False
            try:
                if isinstance(piece, OwnPart):
                    same = piece.text in restore_entry(workspace, entry).text
                elif isinstance(piece, str):
                    same = with_single_spaces(
                        restore_entry(workspace, entry).text
                    ) == self._comparable_text(piece)
                else:
                    text = entry_as_arrived(workspace, entry).text  # type: ignore[union-attr]
                    page = (text.media and text.media.of) or text.page
                    same = piece.data is None or workspace.payload(page) == piece.data
            except UNREADABLE:
                return False
            if not same:
                return False
        return True

    def _is_same_reply(self, reply: Reply, entry: Restored) -> bool:
        """Return True if `reply`, from the list, is the reply of step `entry`, by call ids if both
        have ids from a provider, else by words and calls. Calls that Loom answered may be missing
        from `reply`."""
        held = entry.reply
        if held is None:
            return False
        calls = self.host_calls(held)
        if reply.calls and _are_all_in(reply.calls, held.calls) and _are_all_in(calls, reply.calls):
            return True
        if _has_provider_ids(reply.calls) and _has_provider_ids(held.calls):
            return False
        same = [*map(call_key, calls)] == [*map(call_key, reply.calls)]
        said = self._comparable_text(speech_key(reply)) == speech_key(held)
        return same and said and provider_items(reply) == provider_items(held)

    def step(self, reply: Reply, results: Sequence[ListedResult]) -> int:
        """Return the id of a step, not undone, that has the calls of a listed reply with the same
        `results`; 0 if no step has them. The step may have more calls."""
        workspace = self._engine.workspace
        step = workspace.index.calls.get(reply.calls[0].id, 0) if reply.calls else 0
        if not step or workspace.index.is_undone(step):
            return 0
        try:
            held = restore_entry(workspace, step).reply
        except UNREADABLE:
            return 0
        made = {call.id: call_key(call) for call in held.calls} if held else {}
        same = all(made.get(call.id) == call_key(call) for call in reply.calls)
        return step if same and all(map(self.is_same_result, results)) else 0

    def is_same_result(self, result: ListedResult) -> bool:
        """Return True if the journal's result of the same call contains this result of the list, or
        can no longer be read. Return False for an unknown call or a different result."""
        workspace = self._engine.workspace
        step = workspace.index.calls.get(result.call_id, 0)
        if not step:
            return False
        if not isinstance(result.content, str):
            return True
        try:
            found = restore_entry(workspace, step)
        except UNREADABLE:
            return True
        if result.call_id in found.retired:
            return True
        # A host's tool may have the name of one of Loom's, and give another result.
        held, told = (
            with_single_spaces(found.results.get(result.call_id, "")),
            self._comparable_text(result.content),
        )
        return told in held

    def _comparable_text(self, text: str) -> str:
        """Return a text with secrets replaced, as in the journal, and with single spaces."""
        clean = with_single_spaces(self._engine.ingest.clean(text))
        self._engine.redactor.take()  # it is counted when it is taken in
        return clean


def _are_all_in(calls: Sequence[ToolCall], others: Sequence[ToolCall]) -> bool:
    """Return True if each of `calls` is in `others`, as compared by `_is_same_call`."""
    return all(
        any(_is_same_call(call, one) or _is_same_call(one, call) for one in others)
        for call in calls
    )


def _is_same_call(call: ToolCall, other: ToolCall) -> bool:
    """Return True if two calls have the same name and id. The id of `call` may be that of `other`
    with numbers appended ("c1" → "c1_2")."""
    numbered = re.escape(other.id) + r"(?:_\d+)*"
    return call.name == other.name and re.fullmatch(numbered, call.id) is not None


def _has_provider_ids(calls: Sequence[ToolCall]) -> bool:
    """Return True if a call has an id from its provider, not one derived by Loom."""
    return any(not is_derived_id(call.id) for call in calls)
