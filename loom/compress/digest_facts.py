"""The parts of a digest: which facts it keeps, in which order they stand, and what fits.

What the user said comes first, in the order it was said, so that what was said last is read last;
then what was decided and what failed. The index follows: files, names, commands, calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from loom.compress.digest_index import INDEXED, indexed, line_of, root_of
from loom.providers.counts import Counter
from loom.text import one_line
from loom_partitions.message import Entry, Fact

FACT = 200  # characters of a fact
NAMES = 200  # names that are carried
FIRST = 12  # of the oldest facts, where they are carried
FILES = 24  # files that are shown under their whole names if they can be

# `name = 5` at the end of a fact, or a fact that is `name: 5` and nothing else.
SETTING = re.compile(r"([A-Za-z_][\w.-]*) ?= ?-?\d[\w.,]*$|^([A-Za-z_][\w.-]*): ?-?\d[\w.,]*$")


class FactGroup(NamedTuple):
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


CORE = (
    FactGroup("the user said", ("rule", "user", "question"), 240, 90, 0.9),
    FactGroup("in short", ("summary",), 8, share=0.4),
    FactGroup("decided", ("decision",), 24, 4, 0.3),
    FactGroup("errors", ("error",), 10, share=0.3),
    FactGroup("plan", ("plan",), 6, share=0.3),
    FactGroup("numbers", ("number",), 20, share=0.3, joint=", "),
)
INDEX = (
    FactGroup("files", ("file",), 120, share=0.6),
    FactGroup("names", ("name",), NAMES, share=0.3, joint=", "),
    FactGroup("commands", ("ran",), 80, share=0.5),
    FactGroup("calls", ("call",), 60, share=0.4),
    FactGroup("other paths", ("path",), 40, share=0.3, joint=", "),
    FactGroup("symbols", ("symbol",), 30, share=0.3, joint=", "),
    FactGroup("other commands", ("command",), 8, share=0.3),
)


def merged(entries: Sequence[Entry]) -> tuple[Fact, ...]:
    """The facts of a run, each once (at its newest place), bounded by group."""
    latest: dict[Fact, int] = {}
    known = dict.fromkeys(indexed(entries))
    told = {fact.text for fact in known}
    for fact in (*(fact for entry in entries for fact in entry.facts), *known):
        if fact.kind in INDEXED and fact not in known:
            continue  # an older line of a thing that came again
        if fact.kind in ("path", "command") and fact.text in told:
            continue
        latest.pop(fact, None)
        latest[fact] = len(latest)
    kept: list[Fact] = []
    for group in (*CORE, *INDEX):
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
        for name in fact.text.split():
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
    """The name a setting sets; the text itself of any other number."""
    found = SETTING.search(text)
    return found[1] or found[2] if found else text


def body(facts: Sequence[Fact], groups: Iterable[FactGroup], room: int, count: Counter) -> str:
    """The facts of these groups that fit `room` tokens, group by group."""
    out: list[str] = []
    for group in groups:
        mine = [fact for fact in facts if fact.kind in group.kinds]
        if not mine or room <= 0:
            continue
        # No group may starve the ones after it of everything.
        text, used = _part(group, mine, int(room * group.share), count)
        room -= used
        out.append(text)
    return "".join(out)


def _part(group: FactGroup, facts: Sequence[Fact], room: int, count: Counter) -> tuple[str, int]:
    """A group's heading and what fits under it, and the tokens they take; nothing if nothing."""
    lines = _lines(group, facts)
    crowded = _crowded(lines, room, group, count)
    root = root_of(fact.text for fact in facts) if crowded else ""
    lines = [line.removeprefix(root) for line in lines] if root else lines
    title = f"\n {group.title}{f' (in {root})' if root else ''}:"
    title += " " if group.joint == ", " else group.joint
    heading = count(title)
    taken, used = _fitting(_ranked(group, facts, lines), room - heading, count, group.joint)
    return (title + group.joint.join(taken), heading + used) if taken else ("", 0)


def _lines(group: FactGroup, facts: Sequence[Fact]) -> list[str]:
    """The line of each fact; each name is one."""
    if group.kinds == ("name",):
        return facts[0].text.split()
    return [one_line(line_of(fact), 2 * FACT if fact.refs else FACT) for fact in facts]


def _crowded(lines: Sequence[str], room: int, group: FactGroup, count: Counter) -> bool:
    """True when the newest files would not fit under their whole names."""
    newest = (group.joint + line for line in lines[-FILES:])
    return group.kinds == ("file",) and sum(count.many(newest)) > room


def _ranked(group: FactGroup, facts: Sequence[Fact], lines: Sequence[str]) -> list[tuple[str, int]]:
    """Lines and their places, what is kept first in front: by kind, then the newest.

    Where the oldest are carried too, some of them go before: a session begins with its task.
    """
    places = list(range(len(lines) - 1, -1, -1))
    if group.kinds != ("name",):
        first = FIRST if group.oldest else 0
        places.sort(key=lambda at: (at >= first, group.kinds.index(facts[at].kind)))
    return [(lines[at], at) for at in places]


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
