"""What fills each request of a recorded session, as far as the recording shows it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loom.inputs import Event, Reply, Result, Session, User
from loom.providers.counts import counter_for
from loom.reduce.aliases import EDIT, LIST, READ, SEARCH, SHELL, WRITE
from loom.reduce.arguments import object_of
from loom.reduce.rule import tool_meant
from loom.replay.importers.facts import texts
from loom.replay.lost.windows import is_summary

# Instructions, tools, thoughts and what stood before the recording began are in no recording.
BANDS = ("instructions", "summary", "user", "model", "reads", "shell", "edits", "other")
MOST = 1.5  # reported tokens for one that Loom counts: 1.1 to 1.47 in nine of ten real requests
OF_TOOL = {READ: "reads", LIST: "reads", SEARCH: "reads", SHELL: "shell",
           EDIT: "edits", WRITE: "edits"}  # fmt: skip


class RequestBands(Struct, frozen=True, array_like=True):
    """A request: the message that replied to it, its tokens as they were reported, or as Loom
    counts them where they were not, and how many of them each of BANDS takes."""

    message: int
    tokens: int
    bands: tuple[int, ...]


def bands(session: Session) -> tuple[RequestBands, ...]:
    """The requests of a session, in order. What the first had beside what is recorded, and the
    first behind each compaction, is taken to be in the later ones, too."""
    return tuple(_bands(session))


def _bands(session: Session) -> Iterator[RequestBands]:
    count, held, beyond = counter_for(), dict.fromkeys(BANDS, 0), -1
    made_at, tools = {one.at: one for one in session.compactions}, dict[str, str]()
    sizes = count.many([*map("\n".join, map(texts, session.events))])
    for at, (event, size) in enumerate(zip(session.events, sizes, strict=True)):
        made = made_at.get(at)
        if made is not None:
            held, beyond = dict.fromkeys(BANDS, 0), -1
            beside = [*made.kept, *[made.summary] * (not is_summary(made, event))]
            held["summary"] = sum(count.many(beside))
        if isinstance(event, Reply):
            known = sum(held.values())
            tokens = event.prompt_tokens or known
            beyond = max(tokens - known, 0) if beyond < 0 else beyond
            share = min(max(tokens - beyond, 0) / max(known, 1), MOST)
            row = [int(each * share) for each in held.values()]
            yield RequestBands(event.index, tokens, (tokens - sum(row), *row[1:]))
            tools |= {one.id: tool_meant(one.name, object_of(one.arguments)) for one in event.calls}
        summary = made is not None and is_summary(made, event)
        held["summary" if summary else _band(event, tools)] += size


def _band(event: Event, tools: dict[str, str]) -> str:
    """The band of an event; results go by what their tool does."""
    if isinstance(event, Result):
        return OF_TOOL.get(tools.get(event.call_id, ""), "other")
    kinds = {Reply: "model", User: "user"}
    return kinds.get(type(event), "instructions")
