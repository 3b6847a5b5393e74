"""The step level of the eager preset: what leaves the last steps goes to its reduced form.

The seed's layout for small windows: compacted history at most 500 tokens, recent steps as calls and
results (`recent.py`).
It fires when more than five steps stand in full, when the history passes 2,000 tokens, or after
each call, whichever comes first. When the lines outgrow their part, the oldest become compact, then
fold into one digest ("Earlier: N steps completed").
"""

from __future__ import annotations

from loom.compress.auto import NAMES
from loom.compress.digest.digest import DigestRoom, digest_of
from loom.compress.entry_line import line
from loom.compress.parts import part
from loom.compress.recent import RecentSteps, recent_steps
from loom.compress.scene import Scene
from loom_partitions.edits import Edit, Folded, Lowered
from loom_partitions.message import Detail, Digest, Entry, Step, UserTurn
from loom_partitions.stream import is_lowered


def step(scene: Scene) -> tuple[Edit, ...]:
    """Lower every old entry to a line, then fit the lines into their part."""
    recent = recent_steps(scene)
    if not triggered(scene, recent):
        return ()
    lines: dict[int, Lowered] = {}
    sizes: dict[int, int] = {}
    # One of the last steps may be a line already, after a renewal: it counts with the others.
    low = (e for e in scene.entries if is_lowered(e) and e.id not in scene.pinned)
    found = {entry.id for entry in (*scene.old, *recent.leaving, *low)}
    # As they stand: a digest has the id of its last entry, and comes before all it stands above.
    old = [entry for entry in scene.entries if entry.id in found]
    for entry in old:
        sizes[entry.id] = entry.tokens
        if not isinstance(entry, Digest) and entry.detail < Detail.REDUCED:
            lines[entry.id] = _lower(scene, entry, Detail.REDUCED)
            sizes[entry.id] = lines[entry.id].tokens
    policy, limits = scene.policy, scene.window.limits
    room = part(policy, limits, policy.compacted_tokens) - limits.run
    total = sum(sizes.values())
    for entry in old:
        if total <= room:
            break
        if not isinstance(entry, Digest) and entry.detail < Detail.COMPACT:
            lower = _lower(scene, entry, Detail.COMPACT)
            if lower.tokens < sizes[entry.id]:
                lines[entry.id] = lower
                total -= sizes[entry.id] - lower.tokens
                sizes[entry.id] = lower.tokens
    return (*_fitted(scene, old, lines, sizes, room), *recent.edits)


def triggered(scene: Scene, recent: RecentSteps | None = None) -> bool:
    """True when one of the triggers fires and there is something to lower."""
    policy = scene.policy
    full = [e for e in scene.entries if isinstance(e, Step) and e.detail < Detail.REDUCED]
    history = scene.window.tokens.history
    crossed = (
        len(full) > policy.eager_steps
        or history > policy.eager_tokens
        or 0 < policy.eager_calls <= scene.window.sent.turn - scene.window.sent.cut_turn
    )
    if not policy.eager_steps or not crossed:
        return False
    recent = recent_steps(scene) if recent is None else recent
    pending = any(not isinstance(e, Digest) and e.detail < Detail.REDUCED for e in scene.old)
    return pending or bool(recent.edits or recent.leaving)


def _lower(scene: Scene, entry: UserTurn | Step, detail: Detail) -> Lowered:
    text = line(entry, detail, scene.read)
    return Lowered(entry.id, detail, text, scene.sizes.count(text + "\n"))


def _fitted(
    scene: Scene, old: list[Entry], lines: dict[int, Lowered], sizes: dict[int, int], room: int
) -> tuple[Edit, ...]:
    """Fold the oldest entries when their lines together do not fit `room` tokens."""
    if sum(sizes.values()) <= room:
        return tuple(lines.values())
    # Half of the part for the digest, so that the next few steps need no new fold.
    bounds = DigestRoom(room // 2 - NAMES)
    left = sum(sizes.values())
    count = 0
    while count < len(old) and left + bounds.facts + NAMES > room:
        left -= sizes[old[count].id]
        count += 1
    gone = {entry.id for entry in old[:count]}
    standing = [entry for entry in scene.entries if entry.id not in gone]
    digest = digest_of(old[:count], bounds, scene.sizes.count, standing)
    rest = {entry.id for entry in old[count:]}
    kept = [edit for id, edit in lines.items() if id in rest]
    stays = tuple(entry.id for entry in standing if digest.first <= entry.id <= digest.last)
    return (Folded(digest.first, digest.last, digest, stays), *kept)
