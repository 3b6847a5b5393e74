"""The groups of a digest: which facts stand under which heading, in which order, and how many.

What the model said comes first (in a small digest later: `digest.py`), then what the user said,
then what is still open; then what was done; then what was only seen. What the agent changed gets
its room before any other group: it matters longer than what was read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from loom.compress.digest.check_facts import is_check_fact
from loom.compress.digest.entry_facts import facts_with_latest_marked
from loom.compress.digest.ranking import keep_highest_ranked
from loom.reduce.result_facts import LOST
from loom.reduce.verdict import is_failed
from loom_partitions.message import Fact


class FactGroup(NamedTuple):
    """A group of facts under one heading, listed oldest first.

    `kinds` are the kinds of its facts, the most important kind first. A later digest keeps at most
    `most` facts of the group, and among them the `oldest` oldest facts. Groups get their tokens in
    the order of `turn`, lowest first; a group may use the fraction `share` of the tokens left.
    `shape` is the form of the text: "lines", "words" (on one line), "tree" (files by folder) or
    "said" (by message)."""

    title: str
    kinds: tuple[str, ...]
    most: int
    oldest: int = 0
    share: float = 0.5
    turn: int = 5
    shape: str = "lines"


# What the model said and thought stands before what the user said, which counts more. No page of a
# digest lists it again: it stands in the steps themselves.
THREAD = (
    FactGroup("you said, in this order", ("model", "decision", "plan"), 80, share=1.0, turn=4),
    FactGroup("you thought, in this order", ("thought",), 200, share=0.9, turn=6),
)
DEEDS = (
    FactGroup(
        "the user said, in this order (where they differ, the later counts)",
        ("rule", "heading", "question", "user", "code"),
        400, 120, 0.85, 3, "said",
    ),
    FactGroup(
        "other instructions, not the user's words (where they differ, the later counts)",
        ("instruction",), 120, 40, 0.4, 4, "said",
    ),
    FactGroup("observed", ("observation",), 40, share=0.3),
    FactGroup(
        "your client program's summary, perhaps outdated, not the user's words",
        ("told",), 40, 40, 0.4,
    ),
    FactGroup("in short", ("summary",), 8, share=0.5, turn=4),
    FactGroup("task list as last seen", ("task",), 80, 80, 0.5, 2),
    FactGroup("checks whose last seen run failed", ("failing",), 24, share=0.65, turn=1),
    FactGroup("no result came; the call may have taken effect", ("lost",), 20, share=0.3, turn=1),
    FactGroup(
        "calls that the user or a tool refused (reason after >)",
        ("refused",), 12, share=0.3, turn=1,
    ),
    FactGroup(
        "changed by you in steps no longer shown", ("write", "edit"), 200, share=0.4, turn=0,
        shape="tree",
    ),
    FactGroup(
        "may have been changed by your commands", ("touched",), 200, share=0.4, turn=0,
        shape="tree",
    ),
)  # fmt: skip
SAID = DEEDS[0]
CORE = (*THREAD, *DEEDS)
INDEX = (
    FactGroup("commands that ran", ("ran",), 100, share=0.5, turn=1),
    FactGroup("calls that failed, and were not made again", ("error",), 16, share=0.25, turn=1),
    FactGroup(
        "ids seen (those used in calls, then others; newest first)",
        ("id",),
        1,
        share=0.5,
        turn=4,
        shape="words",
    ),
    FactGroup("files read", ("read",), 150, share=0.7, turn=3, shape="tree"),
    FactGroup("other calls", ("call",), 60, share=0.4),
)
GROUPS = (*CORE, *INDEX)
# Titles in digests of earlier versions → the kind of fact that stood under them.
FORMER = {
    "checks that fail, as last run": "failing",
    "checks that failed, none seen to pass since": "failing",
    "the user said, in this order (what came later counts)": "user",
    "instructions that came meanwhile, not the user's words (what came later counts)": (
        "instruction"
    ),
    "a client's summary, as of then (since overtaken?), not the user's words": "told",
    "no result came: it may or may not have taken effect": "lost",
    "turned down, as the call's result says": "refused",
    "changed by you, beside what stands below": "edit",
    "ran": "ran",
    "calls refused, as their results say": "refused",
    "a client's summary, perhaps outdated, not the user's words": "told",
    "task list as it is now": "task",
    "checks that failed when last run": "failing",
    "changed by you, besides the steps below": "edit",
    "ids seen; those used in calls first, newest first": "id",
    "ids seen, those calls used before the others, newest first": "id",
}


TITLES = {kind: group.title for group in GROUPS for kind in group.kinds}


class GroupedFacts:
    """The facts of a digest by group, and how many facts each group left out."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts: defaultdict[str, list[Fact]] = defaultdict(list)
        self._left: Counter[str] = Counter()
        self._whole: list[Fact] = []  # the sign that a task list is whole: never shown
        for fact in facts:
            kind = shown_kind_of(fact)
            if fact.about == "*":
                self._whole.append(fact)
            elif kind in TITLES:
                self._facts[TITLES[kind]].append(fact)
            elif kind == "more":
                named = FORMER.get(fact.text, fact.text)
                self._left[TITLES.get(named, named)] += fact.times

    def bounded(self) -> GroupedFacts:
        """Drop the facts beyond each group's maximum and return this object."""
        for group in GROUPS:
            mine = self.of(group)
            over = len(mine) - group.most
            if over > 0 and group.shape == "said":
                mine = keep_highest_ranked(mine, group.most)
            elif over > 0:
                mine = mine[: group.oldest] + mine[group.oldest + over :]
            self._facts[group.title] = mine
            self._left[group.title] += max(over, 0)
        return self

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Return all facts, group by group. A fact of kind "more" counts the facts that a group
        left out."""
        kept = [*self._whole]
        for group in GROUPS:
            kept += self.of(group)
            if left := self.left_out(group):
                kept.append(Fact("more", group.title, times=left))
        return tuple(kept)

    def mark_latest(self, later: Iterable[Fact]) -> None:
        """Mark the facts of the user's latest message, unless `later`, the facts of entries that
        stay in the window, has a newer message."""
        self._facts[SAID.title] = facts_with_latest_marked(self.of(SAID), later)

    def of(self, group: FactGroup) -> list[Fact]:
        """Return the facts of a group."""
        return self._facts[group.title]

    def left_out(self, group: FactGroup) -> int:
        """Return how many facts of a group are left out, those of earlier digests included."""
        return self._left[group.title]


def shown_kind_of(fact: Fact) -> str:
    """Return the kind under which a fact is shown, such as "failing" for a failed check."""
    if fact.came == LOST:
        return "lost"
    if fact.kind == "edit" and not fact.times:
        return "touched"
    if fact.kind == "ran" and is_failed(fact.came):
        return "failing" if is_check_fact(fact) else "ran"
    if fact.kind == "error" and is_check_fact(fact):
        return "failing"
    return fact.kind
