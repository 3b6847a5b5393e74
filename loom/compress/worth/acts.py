"""The calls of an entry, each with its result and the units of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.compress.worth.units import Unit, by_place
from loom_partitions.message import Call, Outcome, Step, UserTurn


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
