"""Renewal: what the fresh window keeps of the old one.

Theory of operation
-------------------
The fresh window is the head, one digest of everything that left, the newest entries, and the
dashboard. The newest entries are taken from the end at the detail they have while they fit low
water. The last entry always stays; when it alone does not fit, its texts are snipped, ever
shorter, and at last it becomes a line. So one call converges: to low water, or, when the
protected partitions leave less than a line's room below 0.95, to `OverCapacity` naming the
largest of them, or the pins without which there would be room. What the host pinned stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loom.compress.auto import NAMES, TRIES, fold, plan
from loom.compress.blame import over_capacity
from loom.compress.digest.digest import DigestRoom
from loom.compress.entry_line import line
from loom.compress.pinned import culprit
from loom.compress.scene import LEAST_DIGEST, Scene
from loom.compress.snip import shortened
from loom.errors import OverCapacity
from loom.text import one_line
from loom_partitions.edits import Edit, Folded, Lowered, Shortened
from loom_partitions.limits import Tokens
from loom_partitions.message import Detail, Digest, Entry, Step, Thought
from loom_partitions.order import PROTECTION
from loom_partitions.window import Window

CEILING = 0.95  # of the capacity: above it even a minimal window is refused
END = 0.2  # of a history, what the last step and the last entry may take each
SNIPS = (2_000, 1_000, 500, 200)
LINES = (4_000, 1_000, 500, 240, 120)  # characters of the last entry as a line


class Plan(Struct, frozen=True):
    """The edits of a renewal, and the tokens the fresh window must not exceed."""

    edits: tuple[Edit, ...]
    target: int


def ceiling(window: Window) -> int:
    """The most tokens a request may take for a renewal of this window to be allowed."""
    return int(window.limits.capacity * CEILING)


def renewal(scene: Scene) -> Plan:
    """The edits that make a fresh window; raises OverCapacity when none can."""
    step = next((e for e in reversed(scene.entries) if isinstance(e, Step)), None)
    ends = {e.id: e for e in (step, *scene.entries[-1:]) if e is not None}
    # What came in last is whole where it can be, unless the fresh window was asked to be small;
    # before it gives way, what was only pinned for some steps does.
    whole = ((1.0, scene.pinned), (1.0, scene.held))
    for share, pinned in (*(() if scene.asked else whole), (END, scene.pinned)):
        most = int(scene.history * share)
        old = [e for e in scene.entries if e.id not in ends and e.id not in pinned]
        free = (end for end in ends.values() if end.id not in scene.pinned_for_good)
        fixed = tuple(edit for end in free for edit in _came_in(scene, end, most))
        chosen = (*plan(scene, old, fixed), *fixed)
        if chosen and scene.tokens_after(chosen) + NAMES <= scene.target:
            return Plan(chosen, scene.target)
    return _minimal(scene)


def _came_in(scene: Scene, entry: Entry, room: int) -> Iterator[Edit]:
    """Edits to an entry that is too large; what its reasoning may be bound to stays, and so does
    what is a line already."""
    if not isinstance(entry, Digest) and entry.detail >= Detail.REDUCED:
        return
    bound = isinstance(entry, Step) and any(
        isinstance(part, Thought) and part.opaque for part in entry.parts
    )
    for edit in _fitted(scene, entry, room)[0]:
        if not bound or (isinstance(edit, Shortened) and edit.where in ("result", "beside")):
            yield edit


def _minimal(scene: Scene) -> Plan:
    """The pinned entries, the newest that fit, as they are, and a digest of all the others.

    What stands between others costs more than its own tokens, so what a choice really takes is
    what decides; one that takes too much is made again in less room.
    """
    pins = sum(entry.tokens for entry in scene.entries if entry.id in scene.pinned_for_good)
    room = max(scene.target, 0) - protected_tokens(scene) - pins
    best: tuple[int, tuple[Edit, ...]] | None = None
    for _ in range(TRIES):
        edits = _within(scene, room)
        needed = scene.tokens_after(edits) + NAMES * any(isinstance(e, Folded) for e in edits)
        if best is None or needed < best[0]:
            best = needed, edits
        if needed <= scene.target:
            break
        room -= needed - scene.target
    assert best is not None
    needed, edits = best
    if needed > ceiling(scene.window):
        raise over(scene, needed)
    return Plan(edits, max(scene.target, needed))


def _within(scene: Scene, room: int) -> tuple[Edit, ...]:
    """Edits that leave of what is not pinned about `room` tokens: a digest and the newest."""
    tail, edits, spent = _tail(scene, room)
    leaving = [
        entry
        for entry in scene.entries
        if isinstance(entry, Digest) or (entry.id < tail and entry.id not in scene.pinned_for_good)
    ]
    whole = max(LEAST_DIGEST, room - spent)
    bounds = DigestRoom(min(scene.digest_room, whole), scene.index_room, whole)
    return (*fold(scene, leaving, bounds), *edits)


def protected_tokens(scene: Scene) -> int:
    """Head (as it will be once settled), dashboard, and the overhead of a lowered run."""
    window = scene.window
    return window.head_settled + scene.reserve + window.limits.run


def _tail(scene: Scene, room: int) -> tuple[int, tuple[Edit, ...], int]:
    """(id of the first entry that stays, edits to those that stay, their tokens).

    Room for a digest is kept while more than one entry could stay.
    """
    entries = scene.entries
    if not entries:
        return scene.window.history.next_id, (), 0
    last = entries[-1]
    digest_room = scene.digest_room if len(entries) > 1 else 0
    edits, spent = tuple[Edit, ...](), 0
    if last.id not in scene.pinned_for_good:
        edits, spent = _fitted(scene, last, room - min(digest_room, LEAST_DIGEST))
    first = last.id
    for entry in reversed(entries[:-1]):
        if entry.id in scene.pinned_for_good:
            continue
        if isinstance(entry, Digest) or spent + entry.tokens > room - digest_room:
            break
        spent += entry.tokens
        first = entry.id
    return first, edits, spent


def _fitted(scene: Scene, entry: Entry, room: int) -> tuple[tuple[Edit, ...], int]:
    """The last entry within `room`: as it is, snipped ever shorter, or as one line."""
    if entry.tokens <= room or isinstance(entry, Digest):
        return (), entry.tokens
    for limit in SNIPS:
        cut = list(shortened(scene, entry, limit))
        tokens = entry.tokens - sum(freed for _, freed in cut)
        if cut and tokens <= room:
            return tuple(edit for edit, _ in cut), tokens
    # A line that had room in an earlier window may be too long for this one.
    detail = Detail.COMPACT if entry.detail >= Detail.REDUCED else Detail.REDUCED
    text = entry.line if detail is Detail.COMPACT else line(entry, detail, scene.read)
    for limit in LINES:
        text = one_line(text, limit)
        tokens = scene.sizes.count(text + "\n")
        if tokens <= room:
            break
    if detail is Detail.COMPACT and tokens >= entry.tokens:
        return (), entry.tokens
    return (Lowered(entry.id, detail, text, tokens),), tokens


def over(scene: Scene, needed: int) -> OverCapacity:
    """The error that names the largest partition of a window that cannot be made to fit, and the
    pins without which it could."""
    window = scene.window
    sizes = Tokens(
        system=window.system.settle().tokens,
        memory=window.memory.settle().tokens,
        skill=window.skill.settle().tokens,
        history=needed - protected_tokens(scene),
        working=scene.reserve,
    )
    largest = max(PROTECTION, key=lambda name: int(getattr(sizes, name)))
    excess = needed - ceiling(window)
    blamed = culprit(window, excess)
    if blamed is None:
        return over_capacity(window, largest, getattr(sizes, largest))
    tokens = max(getattr(sizes, blamed.partition), blamed.tokens)
    return over_capacity(window, blamed.partition, tokens, blamed.advice)
