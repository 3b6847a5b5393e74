"""Needs of sessions that are made up: no file has their labels, so they follow from the calls.

A call needs what it names and did not come up with: the old text of an edit, and each path and name
of code in its other arguments that an earlier message holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Session, ToolCall
from loom_bench.recorded.interleaved import size
from loom_bench.recorded.labels import UNKNOWN, Label
from loom_bench.sessions.called import arguments_of
from loom_bench.sessions.needle import event_texts, held_by_any
from loom_bench.sessions.trajectory import trajectory

OLD = frozenset({"old_string", "oldText", "old_str"})
NAME = re.compile(r"[\w./-]*\w[/_]\w[\w./-]*\w")  # with a slash or an underscore within


class MadeUp(Struct, frozen=True):
    """The session of a seed that `cache` prices, with so many calls."""

    seed: int
    calls: int

    def load(self) -> tuple[Session, list[Label]]:
        """The session, its events numbered, and the labels of its needs."""
        session = trajectory(self.seed, self.calls)
        events = tuple(replace(event, index=at) for at, event in enumerate(session.events))
        return replace(session, events=events), derived(events)


def derived(events: Sequence[Event], most: int = 0) -> list[Label]:
    """The labels of numbered events: a label for each text that a call needs and had been shown.

    With `most`, of at most so many replies, spread evenly over the session.
    """
    replies = [at for at, event in enumerate(events) if isinstance(event, Reply) and event.calls]
    step = -(-len(replies) // most) if most else 1  # rounded up
    asking = set(replies[::step] if replies else ())
    return [
        label
        for at, event in enumerate(events)
        if isinstance(event, Reply) and at in asking
        for call in event.calls
        for kind, needle in dict.fromkeys(needed(call))
        if (label := _label(events, at, call, kind, needle)) is not None
    ]


def needed(call: ToolCall) -> Iterator[tuple[str, str]]:
    """(kind, text) of all that a call names."""
    for key, value in arguments_of(call).items():
        if isinstance(value, str) and value and key in OLD:
            yield "edit_old", value
        elif isinstance(value, str) and key not in UNKNOWN:
            yield from (("ident", name) for name in NAME.findall(value))


def _label(
    events: Sequence[Event], at: int, call: ToolCall, kind: str, needle: str
) -> Label | None:
    """The label of a needed text, None where no earlier message holds it."""
    tokens = 0
    for seen in reversed(range(at)):
        if held_by_any(needle, event_texts(events[seen])):
            index = events[seen].index
            return Label(events[at].index, kind, needle, call.name, index, tokens)
        tokens += size(events[seen])
    return None
