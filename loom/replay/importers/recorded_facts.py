"""Reads what several clients record in similar ways: fields by path, token usage, compactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple, replace

from loom.inputs import ClientCompaction, Event, Reasoning, RecordedUsage, Reply, Session, ToolCall
from loom.providers.formats.wire import content_text, reported_tokens


def member_at(value: Any, *paths: str) -> Any:
    """Return the first non-empty value at one of the `paths` ("info.time.created") inside `value`.
    If all are empty, return the first found value, or None."""
    kept = None
    for path in paths:
        found = value
        for name in path.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        if found:
            return found
        kept = found if kept is None else kept
    return kept


def object_at(value: Any, path: str) -> dict[str, Any]:
    """Return the JSON object at a path, {} if there is none."""
    return found if isinstance(found := member_at(value, path), dict) else {}


def list_at(value: Any, path: str) -> list[Any]:
    """Return the list at a path, [] if there is none."""
    return found if isinstance(found := member_at(value, path), list) else []


def text_at(value: Any, *paths: str) -> str:
    """Return the first non-empty value at one of the paths as text, "" if there is none."""
    return str(member_at(value, *paths) or "")


class RecordedFacts(Struct, frozen=True):
    """Facts of a recording beside its messages: the model, the token usage, the project folder."""

    model: str = ""
    usage: RecordedUsage | None = None
    project: str = ""


def recorded_compaction(
    at: int, told: Any, summaries: Iterable[tuple[int, object]]
) -> ClientCompaction:
    """Return the compaction recorded at message number `at`. `told` is a record with its sizes and
    trigger. `summaries` has (message number, content) pairs, of which the first from `at` on
    counts."""
    summary = next((content for index, content in summaries if index >= at), None)
    before = reported_tokens(member_at(told, "preTokens", "tokens_before"))
    after = reported_tokens(member_at(told, "postTokens", "tokens_after"))
    trigger = text_at(told, "trigger")
    return ClientCompaction(at, before, after, 0, 0, trigger, content_text(summary))


def placed_compactions(
    compactions: Iterable[ClientCompaction], events: Sequence[Event], times: Mapping[int, int]
) -> Iterator[ClientCompaction]:
    """Yield the compactions with `at` changed from a message number to an index in `events`.
    Missing times are filled in from `times` (message number to milliseconds), missing sizes from
    the requests before and after."""
    sizes = [one.prompt_tokens if isinstance(one, Reply) else 0 for one in events]
    for one in compactions:
        place = next((at for at, it in enumerate(events) if it.index >= one.at), len(events))
        yield replace(
            one,
            at=place,
            before=one.before or next(filter(None, reversed(sizes[:place])), 0),
            after=one.after or next(filter(None, sizes[place:]), 0),
            when=one.when or times.get(one.at, 0),
            front=next(filter(None, sizes[:place]), 0),
        )


def event_texts(*events: Event | ClientCompaction) -> Iterator[str]:
    """Yield the texts of events that a model reads, without reasoning and compactions."""
    for event in events:
        for part in event.parts if isinstance(event, Reply) else (event,):
            if isinstance(part, ToolCall):
                yield f"{part.name} {part.arguments}"
            elif not isinstance(part, Reasoning | ClientCompaction):
                yield part.text


def folder_of(values: Iterable[Any], path: str) -> str:
    """Return the folder an agent worked in: the first text at `path` in any value, or ""."""
    return next(filter(None, (text_at(value, path) for value in values)), "")


def session_model(session: Session) -> str:
    """Return the model that a session names, else the model of most of its replies, or ""."""
    named = (event.model for event in session.events if isinstance(event, Reply))
    counts = Counter(name for name in named if name and not name.startswith("<"))
    recorded = "" if session.model.startswith("<") else session.model
    return recorded or next((name for name, _ in counts.most_common(1)), "")


def total_usage(used: Iterable[RecordedUsage]) -> RecordedUsage | None:
    """Return the sum of the token usage of several requests, None if the sum is zero."""
    sums = RecordedUsage(*map(sum, zip(*map(astuple, used), strict=True)))
    return None if sums == RecordedUsage() else sums


# Where the parts of a request's size stand: what the cache gave and took, counted beside the input
# (Anthropic, pi, opencode) or within it, and what was written (opencode's reasoning beside that).
_READ = ("cache_read_input_tokens", "cacheRead", "cache.read")
_WRITE = ("cache_creation_input_tokens", "cacheWrite", "cache.write")
_CACHED = (
    "cached_input_tokens", "input_tokens_details.cached_tokens", "input_tokens_cache_read",
    "prompt_tokens_details.cached_tokens", "input_token_details.cache_read",
)  # fmt: skip
_WRITTEN = (
    "cache_write_input_tokens", "input_token_details.cache_creation", "input_tokens_cache_write",
)  # fmt: skip


def recorded_usage(reported: Any) -> RecordedUsage:
    """Return the token usage of a request from the object in which any client reports it. Return
    zeros for any other value."""

    def first(*paths: str) -> int:
        return next(filter(None, (reported_tokens(member_at(reported, path)) for path in paths)), 0)

    read, write = first(*_READ), first(*_WRITE)
    return RecordedUsage(
        first("input_tokens", "prompt_tokens", "input") + read + write,
        read or first(*_CACHED),
        first("output_tokens", "completion_tokens", "output") + first("reasoning"),
        write or first(*_WRITTEN),
    )
