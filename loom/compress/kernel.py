"""The parts of a digest: which facts it keeps, in which order they stand, and what fits.

What the user said comes first, in the order it was said, so that what was said last is read last;
then what was decided and what failed. The index follows: files, names, commands, calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from loom.compress.index import INDEXED, indexed, line_of, root_of, without
from loom.measure import Counter
from loom.text import one_line
from partitions.message import Entry, Fact

FACT = 200  # characters of a fact
NAMES = 200  # names that are carried


class Group(NamedTuple):
    """Facts under one heading.

    `kinds` are in the order in which they are kept when not all fit; they stand in the order they
    came. At most `most` are carried, `oldest` of them from the oldest end. `share` is what the
    group may take of the room left, `joint` what stands between two of them.
    """

    title: str
    kinds: tuple[str, ...]
    most: int
    oldest: int = 0
    share: float = 0.5
    joint: str = "\n  "


KERNEL = (
    Group("the user said", ("rule", "user", "question"), 240, 90, 0.75),
    Group("decided", ("decision",), 24, 4),
    Group("errors", ("error",), 10),
    Group("plan", ("plan",), 6),
    Group("numbers", ("number",), 20, share=1.0, joint=", "),
)
INDEX = (
    Group("files", ("file",), 120, share=0.55),
    Group("names", ("name",), NAMES, share=0.45, joint=", "),
    Group("commands", ("ran",), 80, share=0.6),
    Group("calls", ("call",), 60, share=0.6),
    Group("other paths", ("path",), 40, joint=", "),
    Group("symbols", ("symbol",), 30, share=1.0, joint=", "),
    Group("other commands", ("command",), 8),
)


def merged(entries: Sequence[Entry]) -> tuple[Fact, ...]:
    """The facts of a run, each once (at its newest place), bounded by group."""
    latest: dict[Fact, int] = {}
    known = indexed(entries)
    told = {fact.text for fact in known}
    for fact in (*(fact for entry in entries for fact in entry.facts), *known):
        if fact.kind in INDEXED and fact not in known:
            continue  # an older line of a thing that came again
        if fact.kind in ("path", "command") and fact.text in told:
            continue
        latest.pop(fact, None)
        latest[fact] = len(latest)
    kept: list[Fact] = []
    for group in (*KERNEL, *INDEX):
        facts = [fact for fact in latest if fact.kind in group.kinds]
        if group.kinds == ("name",):
            facts = _names(facts)
        elif group.kinds == ("number",):
            facts = _settings(facts)
        if len(facts) > group.most:
            facts = facts[: group.oldest] + facts[len(facts) - (group.most - group.oldest) :]
        kept += facts
    return tuple(kept)


def _names(facts: Iterable[Fact]) -> list[Fact]:
    """All names as one fact, the newest last."""
    found: dict[str, None] = {}
    for fact in facts:
        for name in reversed(fact.text.split()):
            found.pop(name, None)
            found[name] = None
    return [Fact("name", " ".join(list(found)[-NAMES:]))] if found else []


def _settings(facts: Iterable[Fact]) -> list[Fact]:
    """Numbers, of each `name = number` and `name: number` the newest: it took the others' place."""
    newest: dict[str, Fact] = {}
    for fact in facts:
        subject = _subject(fact.text)
        newest.pop(subject, None)
        newest[subject] = fact
    return list(newest.values())


def _subject(text: str) -> str:
    """What a number is of; the text itself where it names nothing."""
    for sign in ("=", ":"):
        name, found, _ = text.rpartition(sign)
        if found and name.strip():
            return name.split()[-1]
    return text


def body(facts: Sequence[Fact], groups: Iterable[Group], room: int, count: Counter) -> str:
    """As many facts of these groups as fit `room` tokens, group by group."""
    out: list[str] = []
    for group in groups:
        mine = [fact for fact in facts if fact.kind in group.kinds]
        if not mine or room <= 0:
            continue
        root, lines = _lines(group, mine)
        title = f"\n {group.title}{f' (in {root})' if root else ''}:"
        title += " " if group.joint == ", " else group.joint
        # No group may starve the ones after it of everything.
        left = int(room * group.share) - count(title)
        taken, used = _fitting(_ranked(group, mine, lines), left, count, group.joint)
        if taken:
            room -= used + count(title)
            out.append(title + group.joint.join(taken))
    return "".join(out)


def _lines(group: Group, facts: Sequence[Fact]) -> tuple[str, list[str]]:
    """The folder that files are named from, if any, and the line of each fact."""
    if group.kinds == ("name",):
        return "", facts[0].text.split()
    if group.kinds in (("file",), ("call",), ("path",)):
        root = root_of(fact.text for fact in facts) if group.kinds == ("file",) else ""
        return root, [one_line(without(root, line_of(fact)), FACT) for fact in facts]
    return "", [line_of(fact) if fact.refs else one_line(fact.text, FACT) for fact in facts]


def _ranked(group: Group, facts: Sequence[Fact], lines: Sequence[str]) -> list[tuple[str, int]]:
    """Lines and their places, what is kept first in front: by kind, then the newest."""
    places = range(len(lines) - 1, -1, -1)
    if group.kinds == ("name",):
        return [(lines[at], at) for at in places]
    order = sorted(places, key=lambda at: group.kinds.index(facts[at].kind))
    return [(lines[at], at) for at in order]


def _fitting(
    lines: Sequence[tuple[str, int]], room: int, count: Counter, joint: str
) -> tuple[list[str], int]:
    """The lines that fit, in their places, and the tokens they take."""
    taken: list[tuple[int, str]] = []
    used = 0
    sizes = count.many(joint + text for text, _ in lines)
    for (text, at), tokens in zip(lines, sizes, strict=True):
        if used + tokens <= room:
            taken.append((at, text))
            used += tokens
    return [text for _, text in sorted(taken)], used
