"""Auto: choose each entry's level of detail to maximise what is kept under the token target.

Theory of operation
-------------------
Every old entry can stand at several levels, each with a size in tokens and a worth

    worth(entry, level) = K · (ε + rel) · e^(−λ·age) · fidelity(level)

(`score` gives all of it but the fidelity, how much a level keeps). That is a multiple-choice
knapsack, solved greedily on the convex hull (`knapsack`). Where even the cheapest lines of all
entries do not fit, the oldest are folded into a digest, which keeps their facts, and the choice is
made among the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.compress.collapse import folded
from loom.compress.knapsack import choose
from loom.compress.lines import line
from loom.compress.scene import Scene
from loom.compress.score import scores
from loom.compress.snip import shortened
from partitions.edits import Edit, Lowered
from partitions.message import Detail, Digest, Step, UserTurn

# How much of an entry's worth a level keeps: ordered by the design, the values not fitted.
FIDELITY = {Detail.FULL: 1.0, Detail.SNIPPED: 0.6, Detail.REDUCED: 0.25, Detail.COMPACT: 0.15}


class Option(Struct, frozen=True):
    """One level an entry can stand at: its size, and the edits that take it there."""

    detail: Detail
    tokens: int
    edits: tuple[Edit, ...]


def auto(scene: Scene) -> tuple[Edit, ...]:
    """Levels for all old entries, then a fold of the oldest if even lines do not fit."""
    old = [entry for entry in scene.old if not isinstance(entry, Digest)]
    if not old or scene.excess <= 0:
        return ()
    options = [_options(scene, entry) for entry in old]
    room = sum(entry.tokens for entry in old) - scene.excess
    floor = sum(min(o.tokens for o in each) for each in options)
    if floor > room:
        return _with_fold(scene, old, options, room)
    return _chosen(scene, old, options, room)


def _with_fold(
    scene: Scene, old: Sequence[UserTurn | Step], options: list[list[Option]], room: int
) -> tuple[Edit, ...]:
    """Even one line each is too much: fold the oldest, then choose among the rest."""
    oldest = list(scene.old)
    ends = [option[-1].tokens for option in options]
    room -= scene.digest_room
    start = len(old)
    while start > 0 and ends[start - 1] <= room:
        start -= 1
        room -= ends[start]
    room += sum(ends[start:])
    cut = old[start].id if start < len(old) else scene.horizon
    fold = folded(scene, [entry for entry in oldest if entry.id < cut])
    if not fold:
        return tuple(edit for each in options for edit in each[-1].edits)
    rest: list[UserTurn | Step] = list(old[start:])
    if not rest:
        return fold
    return (*fold, *_chosen(scene, rest, options[start:], room))


def _chosen(
    scene: Scene,
    entries: Sequence[UserTurn | Step],
    options: Sequence[list[Option]],
    room: int,
) -> tuple[Edit, ...]:
    """The edits of the options the knapsack takes."""
    worths = [
        [score * FIDELITY[option.detail] for option in each]
        for score, each in zip(scores(scene, entries), options, strict=True)
    ]
    sizes = [[option.tokens for option in each] for each in options]
    taken = choose(sizes, worths, room, scene.policy.gamma)
    return tuple(edit for each, at in zip(options, taken, strict=True) for edit in each[at].edits)


def _options(scene: Scene, entry: UserTurn | Step) -> list[Option]:
    """The levels open to an entry, dear to cheap; sizes strictly fall."""
    options = [Option(entry.detail, entry.tokens, ())]
    cut = list(shortened(scene, entry, scene.policy.reactive_chars))
    if cut:
        tokens = entry.tokens - sum(freed for _, freed in cut)
        options.append(Option(Detail.SNIPPED, tokens, tuple(edit for edit, _ in cut)))
    levels = [d for d in (Detail.REDUCED, Detail.COMPACT) if d > entry.detail]
    texts = [line(entry, detail, scene.read) for detail in levels]
    for detail, text, tokens in zip(
        levels, texts, scene.sizes.count.many(text + "\n" for text in texts), strict=True
    ):
        if tokens < options[-1].tokens:
            options.append(Option(detail, tokens, (Lowered(entry.id, detail, text, tokens),)))
    return options
