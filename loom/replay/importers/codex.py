"""Reads rollout files of Codex. Each line has one item of the conversation or other data.

`response_item` lines hold the items of a Responses conversation. `session_meta` holds the
instructions, `turn_context` the model, `compacted` the items that replaced earlier ones. The usage
is in `token_usage_record`, in older releases in `event_msg` of type `token_count`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, RecordedUsage, Reply, System, User
from loom.providers.formats.listing.readers import is_reply_item
from loom.providers.formats.wire import content_text, reported_tokens
from loom.replay.importers.provider_lists import RESPONSES_LIST
from loom.replay.importers.recorded_facts import (
    RecordedFacts,
    event_texts,
    folder_of,
    list_at,
    member_at,
    object_at,
    recorded_usage,
    text_at,
)
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, TalkEvent

# What Codex adds to an item for itself.
_BOOKKEEPING = "internal_chat_message_metadata_passthrough"


def accepts(talk: Talk) -> bool:
    """Return True if a line wraps an item in the way that only Codex does."""
    return any(_wrapped_item(line) is not None for line in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events of a rollout in recorded order. A compaction's summary becomes a user
    message. The reply in which the model wrote the summary is left out."""
    sizes, model = [*_request_sizes(talk)], facts(talk).model
    for event in _spoken_events(talk, notes):
        if isinstance(event, Reply):
            at = bisect_right(sizes, event.index, key=itemgetter(0))
            size = sizes[at][1] if at < len(sizes) else 0
            event = replace(event, model=event.model or model, prompt_tokens=size)
        yield event


def _spoken_events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events of a rollout, with summaries as user messages, then the compactions. Sizes
    of requests are not filled in."""

    def listed(items: list[RecordedMessage], notes: list[str]) -> Iterator[TalkEvent]:
        yield from RESPONSES_LIST.events(replace(talk, items=tuple(items)), notes)

    items: list[RecordedMessage] = []
    made: list[ClientCompaction] = []
    told = asked = waiting = False  # a fork repeats the instructions of what it was forked from
    before, used = 0, RecordedUsage()  # of the request before a compaction, and of that for it
    for line in talk.items:
        kind, payload = line.value.get("type"), object_at(line.value, "payload")
        info = _token_counts(line)
        size = reported_tokens(member_at(info, "last_token_usage.total_tokens"))
        if member_at(line.value, "metadata.compaction_output") is True:
            asked = True
            notes.append(f"message {line.index}: the reply with a compaction's summary was dropped")
        elif (item := _wrapped_item(line)) is not None:
            items.append(replace(line, value=item))
            if is_reply_item(item):
                before, used = 0, RecordedUsage()
        elif kind == "session_meta" and not told:
            given = member_at(payload, "base_instructions", "instructions")
            if text := content_text(given.get("text") if isinstance(given, dict) else given):
                told = True
                yield System(text, line.index)
        elif kind == "token_usage_record" and asked:
            used, asked = recorded_usage(payload.get("usage")), False
        elif kind == "compacted":
            yield from listed(items, notes)
            items, summary = [], content_text(payload.get("message"))
            # Some releases wrap each of the items it left in place of those before it.
            left = list_at(payload, "replacement_history")
            plain = (member_at(one, "item") or one for one in left)
            stays = [replace(line, value=one) for one in plain if isinstance(one, dict)]
            kept = tuple(event_texts(*listed(stays, [])))
            sizes = before, 0, used.input, used.output
            made.append(ClientCompaction(line.index, *sizes, "", summary, kept=kept))
            before, used, waiting = 0, RecordedUsage(), True
            if summary:
                yield User(summary, line.index, "summary")
        elif info and waiting:
            made[-1] = replace(made[-1], after=size)
            before, waiting = 0, False
        before = max(before, size)
    yield from listed(items, notes)
    yield from made


def facts(talk: Talk) -> RecordedFacts:
    """Return the last turn's model, the last reported token usage, and the project folder."""
    values = [line.value for line in talk.items]
    named = [one for one in values if one.get("type") == "turn_context"]
    told = [info for info in map(_token_counts, talk.items) if info]
    return RecordedFacts(
        next(filter(None, (text_at(one, "payload.model") for one in reversed(named))), ""),
        recorded_usage(told[-1].get("total_token_usage")) if told else None,
        folder_of(values, "payload.cwd"),
    )


def _request_sizes(talk: Talk) -> Iterator[tuple[int, int]]:
    """Yield (index of a line that reports the size of a request, the size in tokens)."""
    records = [line for line in talk.items if line.value.get("type") == "token_usage_record"]
    for line in records or talk.items:
        used = member_at(line.value, "payload.usage") if records else None
        if size := recorded_usage(used or _token_counts(line).get("last_token_usage")).input:
            yield line.index, size


def _token_counts(line: RecordedMessage) -> dict[str, Any]:
    """Return the token counts in a `token_count` line, {} for any other line."""
    told = member_at(line.value, "payload.type") == "token_count"
    return object_at(line.value, "payload.info") if told else {}


def _wrapped_item(line: RecordedMessage) -> dict[str, Any] | None:
    """Return the item in a line without the fields that Codex adds, None for other lines."""
    payload = line.value.get("payload")
    if line.value.get("type") != "response_item" or not isinstance(payload, dict):
        return None
    return {name: value for name, value in payload.items() if name != _BOOKKEEPING}


IMPORTER = Importer("codex", accepts, events, facts)
