"""What a recording tells beside its messages: model, usage, the client's own compactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, RecordedUsage, Reply
from loom.providers.formats.wire import count


class RecordedFacts(Struct, frozen=True):
    """What a recording tells beside its messages.

    The `at` of a compaction is still the number of the message it was recorded at.
    """

    model: str = ""
    usage: RecordedUsage | None = None
    compactions: tuple[ClientCompaction, ...] = ()


def placed(
    compactions: Iterable[ClientCompaction], events: Sequence[Event]
) -> tuple[ClientCompaction, ...]:
    """Give each compaction its place among the events: before the first that was recorded later."""

    def place(number: int) -> int:
        later = (at for at, event in enumerate(events) if event.index >= number)
        return next(later, len(events))

    return tuple(replace(one, at=place(one.at)) for one in compactions)


def model_of(facts: RecordedFacts, events: Iterable[Event]) -> str:
    """Return the model a recording names, else the one most replies are of, else ""."""
    named = Counter(event.model for event in events if isinstance(event, Reply) and event.model)
    return facts.model or next((model for model, _ in named.most_common(1)), "")


def total(used: Iterable[RecordedUsage]) -> RecordedUsage | None:
    """Add what requests used; None when there are none that used anything."""
    sums = RecordedUsage()
    for one in used:
        sums = RecordedUsage(
            sums.input + one.input,
            sums.cached + one.cached,
            sums.output + one.output,
            sums.written + one.written,
        )
    return None if sums == RecordedUsage() else sums


# Where a provider reports the parts of a request's size: counted beside the input, or within it.
_BESIDE = (("cache_read_input_tokens",), ("cache_creation_input_tokens",))
_CACHED = (
    ("cached_input_tokens",),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_tokens_details", "cached_tokens"),
    ("input_token_details", "cache_read"),
    ("input_tokens_cache_read",),
)
_WRITTEN = (
    ("cache_write_input_tokens",),
    ("input_token_details", "cache_creation"),
    ("input_tokens_cache_write",),
)
_INPUT = (("input_tokens",), ("prompt_tokens",))
_OUTPUT = (("output_tokens",), ("completion_tokens",))


def usage_of(reported: Any) -> RecordedUsage:
    """Read the usage of a request as any provider reports it; zeros for what is none."""
    read, write = (_first(reported, (path,)) for path in _BESIDE)
    return RecordedUsage(
        _first(reported, _INPUT) + read + write,
        read or _first(reported, _CACHED),
        _first(reported, _OUTPUT),
        write or _first(reported, _WRITTEN),
    )


def _first(reported: Any, paths: Iterable[tuple[str, ...]]) -> int:
    for path in paths:
        value = reported
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if found := count(value):
            return found
    return 0
