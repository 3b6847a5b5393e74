"""What a recording tells beside its messages: model, usage, the client's own compactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple, replace

from loom.inputs import ClientCompaction, Event, Reasoning, RecordedUsage, Reply, Session, ToolCall
from loom.providers.formats.wire import count, text_of
from loom.replay.importers.members import member_at, text_at


class RecordedFacts(Struct, frozen=True):
    """What a recording tells beside its messages.

    The `at` of a compaction is still the number of the message it was recorded at.
    """

    model: str = ""
    usage: RecordedUsage | None = None
    compactions: tuple[ClientCompaction, ...] = ()
    project: str = ""


def compacted(at: int, told: Any, summaries: Iterable[tuple[int, object]]) -> ClientCompaction:
    """The compaction whose mark stands at a message, with the first summary behind it."""
    summary = next((content for index, content in summaries if index >= at), None)
    sizes = (
        count(member_at(told, "preTokens", "tokens_before")),
        count(member_at(told, "postTokens", "tokens_after")),
    )
    trigger = text_at(told, "trigger")
    return ClientCompaction(at, *sizes, trigger=trigger, summary=text_of(summary))


def placed(
    compactions: Iterable[ClientCompaction], events: Sequence[Event], times: Mapping[int, int]
) -> tuple[ClientCompaction, ...]:
    """Give each compaction its place among the events, before the first that was recorded later,
    and its time by the numbers of messages. Sizes it does not tell are those of the requests that
    were reported before and after it."""
    sizes = [one.prompt_tokens if isinstance(one, Reply) else 0 for one in events]
    found: list[ClientCompaction] = []
    for one in compactions:
        later = (at for at, event in enumerate(events) if event.index >= one.at)
        place = next(later, len(events))
        found.append(
            replace(
                one,
                at=place,
                before=one.before or next(filter(None, reversed(sizes[:place])), 0),
                after=one.after or next(filter(None, sizes[place:]), 0),
                when=one.when or times.get(one.at, 0),
                front=next(filter(None, sizes[:place]), 0),
            )
        )
    return tuple(found)


def texts(event: Event) -> Iterator[str]:
    """The texts of an event as a model reads them; reasoning is left out."""
    if not isinstance(event, Reply):
        yield event.text
        return
    for part in event.parts:
        if isinstance(part, ToolCall):
            yield f"{part.name} {part.arguments}"
        elif not isinstance(part, Reasoning):
            yield part.text


def folder_of(values: Iterable[Any], *paths: str) -> str:
    """The folder an agent worked in, as the first of a recording's values that says it has it."""
    return next(filter(None, (text_at(value, *paths) for value in values)), "")


def model_of(session: Session) -> str:
    """The model a session was recorded with, "" where nothing says: the one most replies name.

    What a client wrote in a model's place (`<synthetic>`) is none.
    """
    named = (event.model for event in session.events if isinstance(event, Reply))
    counts = Counter(name for name in named if name and not name.startswith("<"))
    recorded = "" if session.model.startswith("<") else session.model
    return recorded or (counts.most_common(1)[0][0] if counts else "")


def total(used: Iterable[RecordedUsage]) -> RecordedUsage | None:
    """Add what requests used; None when there are none that used anything."""
    sums = RecordedUsage(*map(sum, zip(*map(astuple, used), strict=True)))
    return None if sums == RecordedUsage() else sums


# Where a provider reports the parts of a request's size: counted beside the input, or within it.
_READ, _WRITE = "cache_read_input_tokens", "cache_creation_input_tokens"
_CACHED = (
    "cached_input_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_tokens_details.cached_tokens",
    "input_token_details.cache_read",
    "input_tokens_cache_read",
)
_WRITTEN = (
    "cache_write_input_tokens",
    "input_token_details.cache_creation",
    "input_tokens_cache_write",
)


def usage_of(reported: Any) -> RecordedUsage:
    """Read the usage of a request as any provider reports it; zeros for what is none."""

    def first(*paths: str) -> int:
        return next(filter(None, (count(member_at(reported, path)) for path in paths)), 0)

    read, write = first(_READ), first(_WRITE)
    return RecordedUsage(
        first("input_tokens", "prompt_tokens") + read + write,
        read or first(*_CACHED),
        first("output_tokens", "completion_tokens"),
        write or first(*_WRITTEN),
    )
