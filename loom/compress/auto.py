"""Auto: choose each entry's level of detail to maximise what is kept under the token target.

Theory of operation
-------------------
Every old entry can stand at several levels, each with a size in tokens and a value

    value(entry, level) = K · (ε + rel) · e^(−λ·age) · fidelity(level)

K is the weight of what the entry is, rel its BM25 relevance to the present focus, age the steps
since anything it mentions was last touched (not since it was made), fidelity how much a level
keeps. That is a multiple-choice knapsack. For each entry the levels on the upper convex hull of
(tokens, value) are steps of falling gain per token; taking the steps of all entries in the order
of gain ÷ tokens^γ until the target is reached is within one step of the optimum for γ = 1; a
lower γ favours long entries (a file) over a litter of short ones. Entries whose cheapest level
does not fit either are folded from the oldest side by collapse, whose digest keeps the facts.

ε keeps recency alive where nothing is relevant: then the newest stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from loom.compress.collapse import folded
from loom.compress.lines import line, said
from loom.compress.relevance import relevance
from loom.compress.scene import Scene
from loom.compress.snip import shortened
from loom.render.render import shown
from partitions.edits import Edit, Lowered
from partitions.message import Detail, Digest, Step, UserTurn

EPSILON = 0.15
FIDELITY = {Detail.FULL: 1.0, Detail.SNIPPED: 0.6, Detail.REDUCED: 0.25, Detail.COMPACT: 0.15}
# K by kind of step (its first call) and of entry, after the order of the design: edits, reads,
# searches, shell, listings. The user's words weigh most.
KINDS = {
    "fs:edit_file": 1.4,
    "fs:write_file": 1.3,
    "fs:read_file": 1.0,
    "fs:search": 0.8,
    "system:shell": 0.8,
    "web:search": 0.7,
    "browser:navigate": 0.7,
    "fs:list_dir": 0.4,
}
USER, ANSWER, FAILED = 2.0, 0.7, 1.5


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
    chosen = _choose(options, _values(scene, old), room, scene.policy.gamma)
    return tuple(edit for each, at in zip(options, chosen, strict=True) for edit in each[at].edits)


def _with_fold(
    scene: Scene, old: Sequence[UserTurn | Step], options: list[list[Option]], room: int
) -> tuple[Edit, ...]:
    """Even one line each is too much: fold the oldest, then choose among the rest."""
    oldest = list(scene.old)
    ends = [option[-1].tokens for option in options]
    room -= scene.digest_room
    start = len(old)
    while start > 0 and sum(ends[start - 1 :]) <= room:
        start -= 1
    cut = old[start].id if start < len(old) else scene.horizon
    fold = folded(scene, [entry for entry in oldest if entry.id < cut])
    if not fold:
        return tuple(edit for each in options for edit in each[-1].edits)
    rest: list[UserTurn | Step] = list(old[start:])
    if not rest:
        return fold
    chosen = _choose(options[start:], _values(scene, rest), room, scene.policy.gamma)
    lowered = [e for each, at in zip(options[start:], chosen, strict=True) for e in each[at].edits]
    return (*fold, *lowered)


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


def _values(scene: Scene, entries: Sequence[UserTurn | Step]) -> np.ndarray:
    """K · (ε + rel) · e^(−λ·age) for each entry, shape (len(entries),)."""
    rel = relevance([_document(entry, scene) for entry in entries], focus(scene))
    ages = np.array(_ages(scene, entries), dtype=float)
    weights = np.array([_weight(entry) for entry in entries])
    return np.asarray(weights * (EPSILON + rel) * np.exp(-scene.policy.decay * ages))


def _choose(
    options: Sequence[list[Option]], values: np.ndarray, room: int, gamma: float
) -> list[int]:
    """The level taken for each entry: all start at the cheapest, the best steps up are bought."""
    chosen = [len(each) - 1 for each in options]
    spent = sum(each[-1].tokens for each in options)
    steps: list[tuple[float, int, int, int]] = []
    for number, each in enumerate(options):
        for low, high in _hull(each, float(values[number])):
            cost = each[high].tokens - each[low].tokens
            gain = values[number] * (FIDELITY[each[high].detail] - FIDELITY[each[low].detail])
            steps.append((float(gain) / cost**gamma, number, high, cost))
    # Newest first among equals; an entry's own steps keep their order (gain falls along a hull).
    for _, number, high, cost in sorted(steps, key=lambda s: (-s[0], -s[1], -s[2])):
        if spent + cost <= room and high < chosen[number]:
            chosen[number] = high
            spent += cost
    return chosen


def _hull(options: Sequence[Option], value: float) -> list[tuple[int, int]]:
    """Steps (from, to) up the convex hull of an entry's options, cheapest first."""
    hull: list[int] = []
    for at in range(len(options) - 1, -1, -1):
        while len(hull) >= 2 and _slope(options, hull[-2], hull[-1]) <= _slope(
            options, hull[-1], at
        ):
            hull.pop()
        hull.append(at)
    return list(pairwise(hull)) if value > 0 else []


def _slope(options: Sequence[Option], low: int, high: int) -> float:
    gain = FIDELITY[options[high].detail] - FIDELITY[options[low].detail]
    return gain / max(options[high].tokens - options[low].tokens, 1)


def _weight(entry: UserTurn | Step) -> float:
    if isinstance(entry, UserTurn):
        return USER
    weight = max((KINDS.get(o.reduction.tool, 0.7) for o in entry.outcomes), default=ANSWER)
    return weight * FAILED if entry.failed else weight


def _ages(scene: Scene, entries: Sequence[UserTurn | Step]) -> list[int]:
    """Entries since each was last touched: since anything it mentions was mentioned again."""
    touched: dict[str, int] = {}
    ages: dict[int, int] = {}
    newest = scene.window.next_id
    for entry in reversed(scene.entries):
        mentions = [fact.text for fact in entry.facts if fact.kind in ("path", "symbol")]
        last = max([entry.id, *(touched.get(mention, 0) for mention in mentions)])
        ages[entry.id] = newest - last
        for mention in mentions:
            touched.setdefault(mention, entry.id)
    return [ages[entry.id] for entry in entries]


def _document(entry: UserTurn | Step, scene: Scene) -> str:
    if isinstance(entry, UserTurn):
        return shown(entry.text, scene.read) if entry.detail < Detail.REDUCED else entry.line
    if entry.detail >= Detail.REDUCED:
        return entry.line
    texts = [said(entry), *(call.arguments for call in entry.calls)]
    return "\n".join([*texts, *(shown(o.text, scene.read) for o in entry.outcomes)])


def focus(scene: Scene) -> str:
    """What the agent is about now: goal, current plan item, the last steps."""
    working = scene.window.working
    texts = [working.goal.body or "" if working.goal else ""]
    texts += [item.text for item in working.plan if item.state == "doing"]
    for entry in scene.entries[-scene.policy.recent :]:
        if isinstance(entry, Step):
            texts += [said(entry), *(call.arguments[:500] for call in entry.calls)]
        elif isinstance(entry, UserTurn):
            texts.append(entry.text.body or "")
    return "\n".join(texts)
