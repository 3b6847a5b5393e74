"""Auto: choose what each entry shows to maximise what is kept under the token target.

Theory of operation
-------------------
Every old entry can stand as it is, with some of its units, or not at all. Each unit has a worth

    worth(unit) = K · rel · e^(−λ·age)

(`loom.compress.worth.worth`) and costs tokens: a knapsack, filled by worth a token (`choice`). What
leaves is folded into one digest, which keeps its facts; a digest that stands there already is
folded with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.compress.choice import Choices
from loom.compress.cut_input import CutInput
from loom.compress.digest.digest import DigestRoom, make_digest
from loom.compress.digest.entry_facts import cut_takes_thoughts, lost_thoughts
from loom.compress.layout_parts import layout_part_tokens
from loom.compress.slicing import edits_to_kept_entries
from loom_partitions.edits import Edit, Folded, Lowered
from loom_partitions.message import Digest, Entry, Step
from loom_partitions.stream import is_lowered

TRIES = 4  # plans made until what they really take comes near the target from below …
FINE = 50  # … nearer than this part of the history
NAMES = 8  # tokens the name of a digest's page may take beyond its place holder


def auto(scene: CutInput) -> tuple[Edit, ...]:
    """Edits that bring the entries older than the recent ones down to the target."""
    return plan_for_lowered(scene, list(scene.old))


def collapse(scene: CutInput) -> tuple[Edit, ...]:
    """Auto for the middle: the first entries, which hold the task, stay as they are.

    A digest already there is folded with what leaves.
    """
    old = list(scene.old)
    first = 0 if old and isinstance(old[0], Digest) else scene.policy.tuning.first
    return plan_for_lowered(scene, old[first:])


def plan_for_lowered(scene: CutInput, lowered: Sequence[Entry]) -> tuple[Edit, ...]:
    """The plan for these entries; of the others only what is superseded leaves."""
    fixed = edits_to_kept_entries(scene, lowered) if scene.excess > 0 else ()
    return (*plan_edits(scene, lowered, fixed), *fixed)


def plan_edits(
    scene: CutInput, old: Sequence[Entry], fixed: tuple[Edit, ...] = ()
) -> tuple[Edit, ...]:
    """Edits that lower these entries so that the request reaches its target.

    `fixed` are edits to others that are made in any case; they are not among what is returned.
    """
    entries = [entry for entry in old if not isinstance(entry, Digest)]
    if not entries or (scene.excess <= 0 and not cut_takes_thoughts(scene.entries)):
        return ()
    room = sum(entry.tokens for entry in entries) - scene.excess
    room += scene.tokens_after(()) - scene.tokens_after(fixed) if fixed else 0
    choices = Choices(scene, entries)
    near = max(scene.history, 0) // FINE
    best: tuple[int, tuple[Edit, ...]] | None = None
    spare = 0
    for _ in range(TRIES):
        edits, back, folded = _plan_once(scene, old, choices, room, spare)
        over = scene.tokens_after((*fixed, *edits)) + NAMES + back - scene.target
        if best is None or best[0] > max(over, 0) or best[0] < over <= 0:
            best = over, edits
        if -near <= over <= 0:
            break
        if folded:
            spare -= over + near // 2  # a digest seldom takes the room that was kept for it
        else:
            room -= over + near // 2
    return best[1] if best else ()


def _plan_once(
    scene: CutInput, old: Sequence[Entry], choices: Choices, room: int, spare: int
) -> tuple[tuple[Edit, ...], int, bool]:
    """The choice within `room` tokens, of which so many are left for what comes back, and whether
    a digest of what leaves takes its part.

    `spare` tokens are what the digest of an earlier try left of its part. They never decide that
    there is no digest, or the tries would swing between one and none.
    """
    digests = [entry for entry in old if isinstance(entry, Digest)]
    made = choices.within(room)
    if not (made.out or any(lost_thoughts(scene.entries))):
        return made.edits, made.back, False
    room += sum(digest.tokens for digest in digests) - scene.digest_room - scene.index_room
    made = choices.within(room + spare)
    gone = set(made.out)
    leaving = [entry for entry in old if isinstance(entry, Digest) or entry.id in gone]
    # Where every entry can stay, the oldest step leaves for the digest of what the others thought.
    if not leaving:
        leaving += [entry for entry in old if isinstance(entry, Step)][:1]
    gone |= {entry.id for entry in leaving}
    edits = tuple(edit for edit in made.edits if getattr(edit, "entry", 0) not in gone)
    digest = fold_into_digest(scene, leaving, digest_bounds(scene, leaving, edits))
    return (*digest, *edits), made.back, True


def digest_bounds(
    scene: CutInput,
    leaving: Iterable[Entry] = (),
    edits: Iterable[Edit] = (),
    most: int | None = None,
) -> DigestRoom:
    """The digest's bounds in this window, of what is `leaving` beside other edits: `most`, or what
    its history may take, and within the part of lines."""
    whole = scene.both_room if most is None else most
    limits, most = scene.window.limits, scene.policy.layout.compacted_tokens
    if most:  # the lines that stay have their part of it
        gone = {entry.id for entry in leaving}
        lines = {e.id: e.tokens for e in scene.entries if is_lowered(e) and e.id not in gone}
        lines |= {one.entry: one.tokens for one in edits if isinstance(one, Lowered)}
        left = layout_part_tokens(scene.policy, limits, most) - limits.run - sum(lines.values())
        whole = min(whole, left - NAMES)
    return DigestRoom(min(scene.digest_room, whole), scene.index_room, whole)


def fold_into_digest(
    scene: CutInput, leaving: Sequence[Entry], bounds: DigestRoom
) -> tuple[Folded, ...]:
    """One digest of these entries, wherever they stand; the others between them stay."""
    if not leaving:
        return ()
    gone = {entry.id for entry in leaving}
    standing = [entry for entry in scene.entries if entry.id not in gone]
    digest = make_digest(leaving, bounds, scene.sizes.count, standing)
    kept = tuple(
        entry.id
        for entry in scene.entries
        if digest.first <= entry.id <= digest.last and entry.id not in gone
    )
    return (Folded(digest.first, digest.last, digest, kept),)
