"""Ways to make a large result small, and the figures of one way over the large results.

`loom` is the reducer under test and the rest is what it is compared with. Peers stand in `peers`:
they decide themselves how small a result gets, so their tokens are to be read beside their shares.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, NamedTuple, NoReturn

from benchmarks.reduction.material import Large, Needle, needles
from benchmarks.reduction.seed import compact
from loom.providers.counts import Counter
from loom.reduce.preview import preview
from loom_bench.recorded.labels import SCORED
from loom_bench.sessions.needle import held

LOOM = "loom"
GAP = "\n…\n"
ROUNDED = 4

# A large result and the most characters → its text, and the names the whole could be had by.
Strategy = Callable[[Large, int], tuple[str, Sequence[str]]]


def head_tail(text: str, limit: int) -> str:
    """The first and the last characters, half of the room each."""
    room = max(0, limit - len(GAP))
    return text[: room - room // 2] + GAP[:limit] + text[len(text) - room // 2 :]


STRATEGIES: dict[str, Strategy] = {
    LOOM: lambda one, limit: (preview(one.text, limit, one.ref, one.objective), [one.ref]),
    "head_tail": lambda one, limit: (head_tail(one.text, limit), [one.ref]),
    "seed": lambda one, limit: (compact(one.text, limit), [one.ref]),
}


class Measurement(NamedTuple):
    """One result as one strategy reduced it.

    `kept` are the needles the reduced text still holds, `sound` tells whether it is JSON, `over`
    whether it is longer than was asked, `pointer` whether it names what brings the whole back.
    With an `error` there is no text, and the rest stands at nothing.
    """

    large: Large
    tokens: int = 0
    kept: tuple[Needle, ...] = ()
    sound: bool = False
    over: bool = False
    pointer: bool = False
    error: str = ""


def reduced(strategy: Strategy, large: Large, limit: int, count: Counter) -> Measurement:
    """One result through one strategy; what goes wrong is in the outcome."""
    try:
        text, names = strategy(large, limit)
    except Exception as error:
        return Measurement(large, error=f"{type(error).__name__}: {error}")
    return Measurement(
        large,
        count(text),
        tuple(needle for needle in large.needles if held(needle.text, text)),
        is_json(text),
        len(text) > limit,
        any(name and name in text for name in names),
    )


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
        "over_limit": sum(one.over for one in made),
        "errors": len(made) - len(fine),
    }


def share(part: int, whole: int) -> float | None:
    """A part of a whole, None of nothing."""
    return round(part / whole, ROUNDED) if whole else None
