"""Digests: one bounded block that stands for a run of folded entries.

The kernel goes first: rules the user laid down, decisions, open questions, errors; then paths,
commands and numbers, the newest first. Digests merge: folding a digest keeps its facts, so they
never pile up. The page a digest names lists every entry it stands for, with their own pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.index import INDEXED, indexed, line_of
from loom.compress.lines import line
from loom.compress.scene import Scene
from loom.measure import Counter
from loom.text import one_line
from partitions.message import Detail, Digest, Entry, Fact, Step, UserTurn

PLACE = "outputs/digest_0000.md"  # stands for the page's name until it is known
# kind → (heading, how many are carried, how many from the oldest end)
KINDS: dict[str, tuple[str, int, int]] = {
    "rule": ("rules", 80, 30),
    "user": ("the user said", 16, 4),
    "decision": ("decided", 24, 4),
    "question": ("asked", 6, 0),
    "error": ("errors", 10, 0),
    "plan": ("plan", 6, 0),
    "number": ("numbers", 20, 0),
    "file": ("files", 120, 0),
    "ran": ("commands", 80, 0),
    "call": ("calls", 60, 0),
    "path": ("other paths", 40, 0),
    "symbol": ("symbols", 30, 0),
    "command": ("other commands", 8, 0),
}
INDEX = ("file", "ran", "call", "path", "symbol", "command")
# Of the room left, for a kind; the others may take half.
SHARES = {"rule": 0.7, "number": 1.0, "file": 0.6, "symbol": 1.0}
JOINED = {"path", "symbol", "number"}  # short facts share one line


class Shape(Struct, frozen=True):
    """How much a digest may hold: tokens for its facts, and for its index of what was done."""

    room: int
    index: int = 0
    fact_chars: int = 160


def digest_of(entries: Sequence[Entry], shape: Shape, count: Counter) -> Digest:
    """The digest of a run, its page still to be named (see `named`)."""
    facts = merged(entries)
    # An older digest may reach beyond the entries that leave with it.
    last = max(entry.last if isinstance(entry, Digest) else entry.id for entry in entries)
    bare = Digest(
        id=last,
        first=entries[0].first if isinstance(entries[0], Digest) else entries[0].id,
        last=last,
        text="",
        tokens=0,
        page=PLACE,
        steps=sum(e.steps if isinstance(e, Digest) else isinstance(e, Step) for e in entries),
        users=sum(e.users if isinstance(e, Digest) else _spoken(e) for e in entries),
        failures=sum(
            e.failures if isinstance(e, Digest) else isinstance(e, Step) and e.failed
            for e in entries
        ),
        facts=facts,
    )
    title = heading(bare)
    kernel = [kind for kind in KINDS if kind not in INDEX]
    text = title + _body(facts, kernel, shape.room - count(title), shape, count)
    text += _body(facts, INDEX, shape.index, shape, count)
    return replace(bare, text=text, tokens=count(text + "\n"))


def named(digest: Digest, page: str, count: Counter) -> Digest:
    """The digest with its page's real name."""
    text = digest.text.replace(PLACE, page, 1)
    return replace(digest, text=text, page=page, tokens=count(text + "\n"))


def heading(digest: Digest) -> str:
    """What the digest stands for, in true counts."""
    parts = [f"Earlier: {digest.steps} steps completed"]
    if digest.failures:
        parts.append(f"{digest.failures} failed")
    if digest.users:
        parts.append(f"{digest.users} user turns")
    return f"{', '.join(parts)} (entries {digest.first}–{digest.last} → {digest.page})"


def listing(entries: Sequence[Entry], read: Callable[[str], str]) -> str:
    """The page of a digest: a line for every entry, older digests by their own page."""
    lines = []
    for entry in entries:
        if isinstance(entry, Digest):
            lines.append(entry.text)
        else:
            # A line that shows a page is worth more here than a shorter one.
            lines.append(entry.line or line(entry, Detail.REDUCED, read))
    return "\n".join(lines) + "\n"


def merged(entries: Sequence[Entry]) -> tuple[Fact, ...]:
    """The facts of a run, each once (at its newest place), bounded by kind."""
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
    for kind, (_, most, oldest) in KINDS.items():
        facts = [fact for fact in latest if fact.kind == kind]
        if len(facts) > most:
            facts = facts[:oldest] + facts[len(facts) - (most - oldest) :]
        kept += facts
    return tuple(kept)


def _spoken(entry: UserTurn | Step) -> bool:
    return isinstance(entry, UserTurn) and not entry.source


def _body(
    facts: Sequence[Fact], kinds: Iterable[str], room: int, shape: Shape, count: Counter
) -> str:
    """As many fact lines as fit, kind by kind; within a kind the newest first."""
    out: list[str] = []
    for kind in kinds:
        title = KINDS[kind][0]
        mine = [_line(fact, shape.fact_chars) for fact in reversed(facts) if fact.kind == kind]
        if not mine or room <= 0:
            continue
        # No kind may starve the ones after it of everything; rules come nearest to it.
        share = int(room * SHARES.get(kind, 0.5))
        taken, used = _fitting(mine, share, count, ", " if kind in JOINED else "\n  ")
        if not taken:
            continue
        room -= used + count(title) + 3
        joint = ", " if kind in JOINED else "\n  "
        lead = " " if kind in JOINED else joint
        out.append(f"\n {title}:{lead}{joint.join(reversed(taken))}")
    return "".join(out)


def _line(fact: Fact, chars: int) -> str:
    return line_of(fact) if fact.refs else one_line(fact.text, chars)


def _fitting(lines: Sequence[str], room: int, count: Counter, joint: str) -> tuple[list[str], int]:
    taken: list[str] = []
    used = 0
    for text, tokens in zip(lines, count.many(joint + text for text in lines), strict=True):
        if used + tokens > room:
            continue
        taken.append(text)
        used += tokens
    return taken, used


def shape_for(scene: Scene) -> Shape:
    """The digest's bounds in this window."""
    return Shape(scene.digest_room, scene.index_room)
