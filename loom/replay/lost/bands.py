"""Splits the tokens of recorded requests by kind of content, as far as the recording shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from loom.inputs import ClientCompaction, Event, Reply, Result, Session, User
from loom.providers.counts import counter_for
from loom.reduce.aliases import EDIT, LIST, READ, SEARCH, SHELL, WRITE
from loom.reduce.arguments import json_object
from loom.reduce.rule import canonical_tool_of_call
from loom.replay.cost import Bill
from loom.replay.importers.recorded_facts import event_texts

# Instructions, tools, thoughts and what stood before the recording began are in no recording.
BANDS = ("instructions", "summary", "user", "model", "reads", "shell", "edits", "other")
MOST = 1.5  # reported tokens for one that Loom counts: 1.1 to 1.47 in nine of ten real requests
OF_TOOL = {READ: "reads", LIST: "reads", SEARCH: "reads", SHELL: "shell",
           EDIT: "edits", WRITE: "edits"}  # fmt: skip


class RequestBands(Struct, frozen=True, array_like=True):
    """One request of a recorded session. `message` is the number of the reply to it.

    `tokens` is the reported size, or else Loom's count. `bands` has the tokens of each kind of
    content, in the order of BANDS. `talk` is Loom's count of the conversation without instructions.
    `first` is True for the first request after a compaction."""

    message: int
    tokens: int
    bands: tuple[int, ...]
    talk: int
    first: bool


def request_bands(session: Session) -> tuple[RequestBands, ...]:
    """Return the requests of a session, in order."""
    return tuple(_walk_requests(session))


def _walk_requests(session: Session) -> Iterator[RequestBands]:
    count, held, beyond, first = counter_for(), dict.fromkeys(BANDS, 0), -1, False
    made_at, tools = {one.at: one for one in session.compactions}, dict[str, str]()
    sizes = count.many([*map("\n".join, map(event_texts, session.events))])
    for at, (event, size) in enumerate(zip(session.events, sizes, strict=True)):
        made = made_at.get(at)
        if made is not None:
            held, beyond, first = dict.fromkeys(BANDS, 0), -1, True
            beside = [*made.kept, *[made.summary] * (not is_summary(made, event))]
            held["summary"] = sum(count.many(beside))
        if isinstance(event, Reply):
            known = sum(held.values())
            tokens = event.prompt_tokens or known
            # Reported tokens beyond the recorded texts are measured in the first request and in the
            # first after each compaction. The later requests are assumed to have them too.
            beyond = max(tokens - known, 0) if beyond < 0 else beyond
            share = min(max(tokens - beyond, 0) / max(known, 1), MOST)
            row = [int(each * share) for each in held.values()]
            talk = known - held["instructions"]
            yield RequestBands(event.index, tokens, (tokens - sum(row), *row[1:]), talk, first)
            first = False
            tools |= {
                one.id: canonical_tool_of_call(one.name, json_object(one.arguments))
                for one in event.calls
            }
        summary = made is not None and is_summary(made, event)
        held["summary" if summary else _band_of_event(event, tools)] += size


def _band_of_event(event: Event, tools: dict[str, str]) -> str:
    """Return the kind of content, a name in BANDS, that an event counts for. `tools` maps call ids
    to tool names."""
    if isinstance(event, Result):
        return OF_TOOL.get(tools.get(event.call_id, ""), "other")
    kinds = {Reply: "model", User: "user"}
    return kinds.get(type(event), "instructions")


def client_bill(requests: Iterable[RequestBands]) -> Bill:
    """Return the token sums of the requests that a session's client sent, by Loom's count of the
    conversation without instructions."""
    bill, before = Bill(), 0
    for one in requests:
        # The cost of a compaction has what it leaves written anew.
        reused = one.talk if one.first else before
        bill.add(Bill(1, one.talk, reused, peak=one.talk))
        before = one.talk
    return bill


def is_summary(made: ClientCompaction, event: Event) -> bool:
    """Return True when `event` is the summary that the compaction `made` wrote."""
    return isinstance(event, User) and bool(made.summary) and event.text == made.summary
