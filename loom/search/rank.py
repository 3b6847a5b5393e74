"""Sorts units by their scores, or by score for the room they take.

A unit near a hit is likely to be part of the answer: the reply to the message, the result of the
call. So a unit has its own score, plus NEIGHBOUR times the best score in the entry before and in
the entry after. Selection under a budget is a knapsack: greedy by score / size^GAMMA, with GAMMA in
the design's range for the window's selection (0.5 to 0.8). Among equals the newest comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from loom.search.index import Passage

NEIGHBOUR = 0.25
GAMMA = 0.65
HEADING = 60  # characters a unit takes besides its text: name, lines, what joins it
DIGITS = 6  # to which scores are equal
MISSES = 12  # units in a row that do not fit, after which none is expected to


def ids_by_score(scores: Mapping[int, float]) -> list[int]:
    """Return the ids, highest score first; of equal scores, the newer id first."""
    return sorted(scores, key=lambda id: (-round(scores[id], DIGITS), -id))


def sum_scores(lexical: Mapping[int, float], semantic: Mapping[int, float]) -> dict[int, float]:
    """Return {id: lexical + semantic score}, each scaled to 0..1 first. The lexical scores are
    returned unchanged if there are no semantic scores."""
    if not semantic:
        return dict(lexical)
    parts = [_scale_scores(lexical, floor=0.0), _scale_scores(semantic)]
    return {id: sum(part.get(id, 0.0) for part in parts) for id in {*lexical, *semantic}}


def _scale_scores(scores: Mapping[int, float], floor: float | None = None) -> dict[int, float]:
    """Return {id: score}, scaled so that the highest is 1 and the lowest (or `floor`) 0."""
    least = min(scores.values(), default=0.0) if floor is None else floor
    span = max(scores.values(), default=0.0) - least
    return {id: (score - least) / span if span else 1.0 for id, score in scores.items()}


def neighbour_scores(scores: Mapping[int, float], units: Iterable[Passage]) -> dict[int, float]:
    """Return {id: score} for `units`: a unit's own score, plus NEIGHBOUR × the best score in the
    entry before, plus NEIGHBOUR × the best score in the entry after."""
    given = list(units)
    best: dict[int, float] = {}
    for unit in given:
        best[unit.entry] = max(best.get(unit.entry, 0.0), scores.get(unit.id, 0.0))
    return {
        unit.id: scores.get(unit.id, 0.0)
        + NEIGHBOUR * sum(best.get(unit.entry + step, 0.0) for step in (-1, 1))
        for unit in given
    }


def units_by_worth(scores: Mapping[int, float], units: Iterable[Passage]) -> list[Passage]:
    """Return the units that have a score, highest worth first: score divided by (size)^GAMMA."""
    held = {unit.id: unit for unit in units}
    rated = {
        id: scores[id] / (max(unit.end - unit.start, 0) + HEADING) ** GAMMA
        for id, unit in held.items()
    }
    return [held[id] for id in ids_by_score(rated) if rated[id] > 0]


def units_that_fit(
    wanted: Iterable[Passage], cost: Callable[[Passage], int], room: int
) -> list[Passage]:
    """Return the units of `wanted` that fit into `room` together, taken in order. `cost` returns
    the room that a unit takes. The search ends after more than MISSES misses in a row."""
    taken: list[Passage] = []
    missed = 0
    for unit in wanted:
        needed = cost(unit)
        if needed <= room:
            taken.append(unit)
            room -= needed
            missed = 0
        elif (missed := missed + 1) > MISSES:
            break
    return taken


def adjacent_runs(units: Sequence[Passage]) -> list[list[Passage]]:
    """Return lists of units that follow each other directly in one text, the list with the best
    unit first. `units` are ordered by worth."""
    place = {unit.id: at for at, unit in enumerate(units)}
    made: list[list[Passage]] = []
    for unit in sorted(units, key=lambda unit: (unit.name, unit.source, unit.start)):
        last = made[-1][-1] if made else None
        follows = last is not None and (last.name, last.source, last.end) == (
            unit.name,
            unit.source,
            unit.start,
        )
        made[-1].append(unit) if follows else made.append([unit])
    return sorted(made, key=lambda run: min(place[unit.id] for unit in run))
