"""Renewal: what the fresh window keeps of the old one.

Theory of operation
-------------------
The fresh window is the head, one digest of everything that left, the newest entries, and the
dashboard. What came in since the last reply stays whole wherever it fits at all
(`loom.compress.newest`). The newest entries before it are taken from the end at the detail they
have while they fit low water; where nothing came in, the last entry always stays: its texts are
snipped, ever shorter, and at last it becomes a line. So one call converges: to low water, or to
what came in with a minimal digest, or, when the protected partitions leave less than a line's room
below 0.95, to `OverCapacity` naming the largest of them, or the pins without which there would be
room. What the host pinned stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.auto import NAMES, TRIES, digest_bounds, fold_into_digest, plan_edits
from loom.compress.blame import over_capacity_error
from loom.compress.cut_input import LEAST_DIGEST, CutInput
from loom.compress.newest_entries import (
    fit_entries,
    fit_newest,
    fresh_window_limit,
    pinned_tokens,
    protected_tokens,
    renewal_ceiling,
    renewal_target,
    room_for_newest,
)
from loom.errors import OverCapacity
from loom_partitions.edits import Edit, Folded
from loom_partitions.message import Detail, Digest, Entry, Step

END = 0.2  # of a history, what the last step and the last entry may take each


class RenewalPlan(Struct, frozen=True):
    """The edits of a renewal, the tokens the fresh window must not exceed, and the tokens that
    what came in last had to itself."""

    edits: tuple[Edit, ...]
    target: int
    room: int


def plan_renewal(scene: CutInput) -> RenewalPlan:
    """The edits that make a fresh window; raises OverCapacity when none can."""
    scene = replace(scene, target=renewal_target(scene))
    room = room_for_newest(scene)
    came_in, tokens = fit_newest(scene, room)
    chosen = _edits_before_newest(scene, came_in)
    if chosen:
        return RenewalPlan(chosen, scene.target, room)
    for _ in range(TRIES):
        needed, edits = _smallest_window(scene, came_in, tokens)
        if needed <= fresh_window_limit(scene):
            return RenewalPlan(edits, max(scene.target, needed), room)
        room = min(room, tokens) - (needed - fresh_window_limit(scene))
        came_in, tokens = fit_newest(scene, room)
    raise renewal_error(scene, needed)


def _edits_before_newest(scene: CutInput, came_in: Sequence[Edit]) -> tuple[Edit, ...]:
    """The best plan for the entries before what came in; () where none reaches the target."""
    step = next((e for e in reversed(scene.entries) if isinstance(e, Step)), None)
    ends = {e.id: e for e in (step, *scene.entries[-1:]) if e is not None}
    # The last step and the last entry are whole where they can be, unless the fresh window was
    # asked to be small; before they give way, what was only pinned for some steps does.
    whole = ((1.0, scene.pinned), (1.0, scene.keep | scene.pinned_for_good))
    for share, pinned in (*(() if scene.asked else whole), (END, scene.pinned)):
        room = int(scene.history * share)
        stays = ends.keys() | pinned | scene.unanswered
        old = [entry for entry in scene.entries if entry.id not in stays]
        free = ends.keys() - scene.pinned_for_good - scene.unanswered
        fixed = (
            *came_in,
            *(edit for id in sorted(free) for edit in _end_edits(scene, ends[id], room)),
        )
        chosen = (*plan_edits(scene, old, fixed), *fixed)
        if chosen and scene.tokens_after(chosen) + NAMES <= scene.target:
            return chosen
    return ()


def _end_edits(scene: CutInput, entry: Entry, room: int) -> Iterator[Edit]:
    """Edits to an end of history that is too large; what its reasoning may be bound to stays, and
    so does what is a line already."""
    if isinstance(entry, Digest) or entry.detail < Detail.REDUCED:
        yield from fit_entries(scene, [entry], room)[0]


def _smallest_window(
    scene: CutInput, came_in: Sequence[Edit], tokens: int
) -> tuple[int, tuple[Edit, ...]]:
    """The tokens and edits of the smallest window: the pinned entries as they are, what came in,
    the newest before it that fit, and a digest of all the others.

    What stands between others costs more than its own tokens, so what a choice really takes is
    what decides; one that takes too much is made again in less room.
    """
    pins = pinned_tokens(scene)
    room = max(scene.target, 0) - protected_tokens(scene) - pins - tokens
    best: tuple[int, tuple[Edit, ...]] | None = None
    for _ in range(TRIES):
        edits = (*_digest_and_newest(scene, room), *came_in)
        needed = scene.tokens_after(edits) + NAMES * any(isinstance(e, Folded) for e in edits)
        if best is None or needed < best[0]:
            best = needed, edits
        if needed <= scene.target:
            break
        room -= needed - scene.target
    assert best is not None
    return best


def _digest_and_newest(scene: CutInput, room: int) -> tuple[Edit, ...]:
    """Edits that leave of what is neither pinned nor came in last about `room` tokens: a digest and
    the newest. Room for the digest is kept while more than one entry could stay."""
    stays = scene.pinned_for_good | scene.unanswered
    older = [entry for entry in scene.entries if entry.id not in stays]
    digest_room = scene.digest_room if len(scene.entries) > 1 else 0
    kept: set[int] = set()
    edits, spent = tuple[Edit, ...](), 0
    if older and not scene.newest and older[-1].id == scene.entries[-1].id:
        kept.add(older[-1].id)
        edits, spent = fit_entries(scene, older[-1:], room - min(digest_room, LEAST_DIGEST))
    for entry in reversed(older[: len(older) - len(kept)]):
        if isinstance(entry, Digest) or spent + entry.tokens > room - digest_room:
            break
        spent += entry.tokens
        kept.add(entry.id)
    leaving = [entry for entry in older if isinstance(entry, Digest) or entry.id not in kept]
    bounds = digest_bounds(scene, leaving, edits, max(LEAST_DIGEST, room - spent))
    return (*fold_into_digest(scene, leaving, bounds), *edits)


def renewal_error(scene: CutInput, needed: int) -> OverCapacity:
    """The error of a window that cannot be made to fit."""
    window = scene.window
    needs = {
        "system": window.system.settle().tokens,
        "memory": window.memory.settle().tokens,
        "skill": window.skill.settle().tokens,
        "history": needed - protected_tokens(scene),
        "working": scene.reserve,
    }
    return over_capacity_error(window, needs, needed - renewal_ceiling(window))
