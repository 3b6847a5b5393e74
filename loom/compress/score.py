"""What an entry is worth: K · (ε + rel) · e^(−λ·age).

K is the weight of what the entry is, rel its BM25 relevance to the present focus, age the entries
since anything it mentions was last mentioned (not since it was made). ε keeps recency alive where
nothing is relevant: then the newest stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from loom.compress.lines import said
from loom.compress.relevance import relevance
from loom.compress.scene import Scene
from loom.render.render import shown
from partitions.message import Detail, Step, UserTurn

EPSILON = 0.15
# K by kind of step (its weightiest call) and of entry, after the order of the design: edits,
# reads, searches, shell, listings. The user's words weigh most, failures more than successes.
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
OTHER = 0.7
USER, ANSWER, FAILED = 2.0, 0.7, 1.5


def scores(scene: Scene, entries: Sequence[UserTurn | Step]) -> list[float]:
    """The worth of each entry at full detail."""
    rel = relevance([_document(entry, scene) for entry in entries], focus(scene))
    return [
        _weight(entry) * (EPSILON + near) * math.exp(-scene.policy.decay * age)
        for entry, near, age in zip(entries, rel, _ages(scene, entries), strict=True)
    ]


def _weight(entry: UserTurn | Step) -> float:
    if isinstance(entry, UserTurn):
        return USER
    weight = max((KINDS.get(o.reduction.tool, OTHER) for o in entry.outcomes), default=ANSWER)
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
