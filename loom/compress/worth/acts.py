"""The calls of an entry as they were made, each with its result and the units of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import DecodeError
from msgspec.json import Decoder
from msgspec.structs import replace

from loom.compress.worth.units import Read, Unit, by_place
from loom.inputs import Reply
from loom_partitions.message import Call, Outcome, Step, UserTurn

_REPLY = Decoder(Reply)


def as_made(call: Call, read: Read) -> Call:
    """A call whose arguments had no room, with all of them; as it is where its page is gone.

    A call that keeps its `page` shows only a part of what it did.
    """
    if not call.page:
        return call
    try:
        made = _REPLY.decode(read(call.page).encode("utf-8", "replace"))
    except DecodeError:
        return call
    whole = next((one for one in made.calls if one.id == call.id), None)
    return call if whole is None else replace(call, arguments=whole.arguments, page="")


def acts(
    entry: UserTurn | Step, units: Sequence[Unit]
) -> Iterator[tuple[Call | None, Outcome | None, list[Unit]]]:
    """The calls of an entry in order, each with its result and the units of both.

    Units of no call come first, with None for it.
    """
    places = by_place(units)
    made: list[tuple[Call | None, Outcome | None, list[Unit]]] = []
    if isinstance(entry, Step):
        answers = {outcome.call_id: at for at, outcome in enumerate(entry.outcomes)}
        for at, part in enumerate(entry.parts):
            if isinstance(part, Call) and part.id in answers:
                answer = answers[part.id]
                mine = [*places.pop(("call", at), ()), *places.pop(("result", answer), ())]
                made.append((part, entry.outcomes[answer], mine))
    yield None, None, [unit for mine in places.values() for unit in mine]
    yield from made
