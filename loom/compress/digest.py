"""Digests: one bounded block that stands for a run of folded entries.

The kernel goes first: rules the user laid down, decisions, open questions, errors; then paths,
commands and numbers, the newest first. Digests merge: folding a digest keeps its facts, so they
never pile up. The page a digest names lists every entry it stands for, with their own pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

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
    "path": ("paths", 60, 0),
    "symbol": ("symbols", 30, 0),
    "command": ("commands", 16, 0),
    "number": ("numbers", 20, 0),
}
SHARES = {"rule": 0.7}  # of the room left, for a kind; the others may take half
JOINED = {"path", "symbol", "number"}  # short facts share one line


class Shape(Struct, frozen=True):
    """How much a digest may hold."""

    room: int  # tokens
    fact_chars: int = 160


def digest_of(entries: Sequence[Entry], shape: Shape, count: Counter) -> Digest:
    """The digest of a run, its page still to be named (see `named`)."""
    facts = merged(entries)
    bare = Digest(
        id=entries[-1].id,
        first=entries[0].first if isinstance(entries[0], Digest) else entries[0].id,
        last=entries[-1].id,
        text="",
        tokens=0,
        page=PLACE,
        steps=sum(e.steps if isinstance(e, Digest) else isinstance(e, Step) for e in entries),
        users=sum(e.users if isinstance(e, Digest) else isinstance(e, UserTurn) for e in entries),
        failures=sum(
            e.failures if isinstance(e, Digest) else isinstance(e, Step) and e.failed
            for e in entries
        ),
        facts=facts,
    )
    text = heading(bare) + _body(facts, shape, count, count(heading(bare)))
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
    place = 0
    for entry in entries:
        for fact in entry.facts:
            latest.pop(fact, None)
            latest[fact] = place
            place += 1
    kept: list[Fact] = []
    for kind, (_, most, oldest) in KINDS.items():
        facts = [fact for fact in latest if fact.kind == kind]
        if len(facts) > most:
            facts = facts[:oldest] + facts[len(facts) - (most - oldest) :]
        kept += facts
    return tuple(kept)


def _body(facts: Sequence[Fact], shape: Shape, count: Counter, spent: int) -> str:
    """As many fact lines as fit, kind by kind; within a kind the newest first."""
    room = shape.room - spent
    out: list[str] = []
    for kind, (title, _, _) in KINDS.items():
        mine = [one_line(f.text, shape.fact_chars) for f in reversed(facts) if f.kind == kind]
        if not mine or room <= 0:
            continue
        # No kind may starve the ones after it of everything; rules come nearest to it.
        share = room if kind == "number" else int(room * SHARES.get(kind, 0.5))
        taken, used = _fitting(mine, share, count, ", " if kind in JOINED else "\n  ")
        if not taken:
            continue
        room -= used + count(title) + 3
        joint = ", " if kind in JOINED else "\n  "
        lead = " " if kind in JOINED else joint
        out.append(f"\n {title}:{lead}{joint.join(reversed(taken))}")
    return "".join(out)


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
    return Shape(scene.digest_room)
