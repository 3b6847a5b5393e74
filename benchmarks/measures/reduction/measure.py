"""The figures of one strategy over the large results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median
from typing import Any, NoReturn

from msgspec import Struct

from benchmarks.measures.reduction.material import Large, Needle, needles
from benchmarks.measures.reduction.strategies import ReductionRequest, Strategy
from loom.providers.counts import Counter
from loom_bench.recorded.labels import SCORED
from loom_bench.sessions.needle import held

ROUNDED = 4


class Measurement(Struct, frozen=True):
    """One result as one strategy reduced it.

    `kept` are the needles the reduced text still holds, `sound` tells whether it is JSON, `over`
    whether it is longer than was asked, `pointer` whether it names what brings the whole back.
    With an `error` there is no text, and the rest stands at nothing.
    """

    large: Large
    tokens: int = 0
    ms: float = 0.0
    kept: tuple[Needle, ...] = ()
    sound: bool = False
    over: bool = False
    pointer: bool = False
    error: str = ""


def reduced(strategy: Strategy, large: Large, limit: int, count: Counter) -> Measurement:
    """One result through one strategy; what goes wrong is in the outcome."""
    try:
        answer = strategy(ReductionRequest(large.text, limit, large.ref, large.objective))
    except Exception as error:
        return Measurement(large, error=f"{type(error).__name__}: {error}")
    text = answer.text
    return Measurement(
        large,
        count(text),
        answer.ms,
        tuple(needle for needle in large.needles if held(needle.text, text)),
        is_json(text),
        len(text) > limit,
        any(name and name in text for name in answer.names),
    )


def all_reduced(
    strategy: Strategy,
    results: Iterable[Large],
    limit: int,
    count: Counter,
    tell: Callable[[], None],
) -> list[Measurement]:
    """Every result through one strategy; `tell` is called after each."""
    made = []
    for large in results:
        made.append(reduced(strategy, large, limit, count))
        tell()
    return made


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def is_json(text: str) -> bool:
    """True when the whole text is one JSON value: nothing beside it, no NaN, no Infinity."""
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def figures(made: Sequence[Measurement]) -> dict[str, Any]:
    """The figures of one strategy; shares are 0 to 1, None of nothing.

    A needle is kept when one of the results it stood in still holds it.
    """
    fine = [one for one in made if not one.error]
    sound = [one.sound for one in made if one.large.json]
    wanted = needles(one.large for one in made)
    kept = {needle.label for one in made for needle in one.kept}
    times = sorted(one.ms for one in fine)
    return {
        "mean_tokens": round(fmean(one.tokens for one in fine)) if fine else None,
        "json_valid": share(sum(sound), len(sound)),
        "needles_kept": share(len(kept), len(wanted)),
        **{
            f"{kind}_kept": share(
                sum(wanted[label].kind == kind for label in kept),
                sum(needle.kind == kind for needle in wanted.values()),
            )
            for kind in SCORED
        },
        "pointer": share(sum(one.pointer for one in made), len(made)),
        "ms_median": round(median(times), 3) if times else None,
        "ms_p95": round(times[math.ceil(len(times) * 0.95) - 1], 3) if times else None,
        "ms_max": round(times[-1], 3) if times else None,
        "over_limit": sum(one.over for one in made),
        "errors": len(made) - len(fine),
    }


def share(part: int, whole: int) -> float | None:
    """A part of a whole, None of nothing."""
    return round(part / whole, ROUNDED) if whole else None
