"""Auto: choose what each entry shows, to keep the most worth under the token target.

Theory of operation
-------------------
Every old entry can stand as it is, with some of its units, or not at all. Each unit has a worth

    worth(unit) = K · rel · e^(−λ·age)

(`loom.compress.worth.worth`) and costs tokens: a knapsack, filled by worth per token (`choice`).
What leaves, and a digest that stands already, is folded into one digest, which keeps its facts."""

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


def auto(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the level auto. They lower entries before the recent ones until the
    request is within the target."""
    return plan_for_lowered(cut_input, list(cut_input.old))


def collapse(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the level collapse: as auto, but the first entries, the task, stay whole.

    Where the oldest entry is a digest, no first entry is spared: the digest is folded into the new
    one."""
    old = list(cut_input.old)
    first = 0 if old and isinstance(old[0], Digest) else cut_input.policy.tuning.first
    return plan_for_lowered(cut_input, old[first:])


def plan_for_lowered(cut_input: CutInput, lowered: Sequence[Entry]) -> tuple[Edit, ...]:
    """Return the edits that lower these entries to reach the target, and the edits that take
    superseded units out of the other entries."""
    fixed = edits_to_kept_entries(cut_input, lowered) if cut_input.excess > 0 else ()
    return (*plan_edits(cut_input, lowered, fixed), *fixed)


def plan_edits(
    cut_input: CutInput, old: Sequence[Entry], fixed: tuple[Edit, ...] = ()
) -> tuple[Edit, ...]:
    """Return the edits that lower entries of `old` so that the request reaches its target.

    `fixed` are edits to other entries made in any case; they are counted but not returned."""
    entries = [entry for entry in old if not isinstance(entry, Digest)]
    if not entries or (cut_input.excess <= 0 and not cut_takes_thoughts(cut_input.entries)):
        return ()
    room = sum(entry.tokens for entry in entries) - cut_input.excess
    room += cut_input.tokens_after(()) - cut_input.tokens_after(fixed) if fixed else 0
    choices = Choices(cut_input, entries)
    near = max(cut_input.history, 0) // FINE
    best: tuple[int, tuple[Edit, ...]] | None = None
    spare = 0
    for _ in range(TRIES):
        edits, back, folded = _plan_once(cut_input, old, choices, room, spare)
        over = cut_input.tokens_after((*fixed, *edits)) + NAMES + back - cut_input.target
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
    cut_input: CutInput, old: Sequence[Entry], choices: Choices, room: int, spare: int
) -> tuple[tuple[Edit, ...], int, bool]:
    """Return (edits, tokens, digested) of one try: the edits that bring the entries within `room`
    tokens, the tokens in `room` that are kept for units that come back, and True where the edits
    make a digest.

    `spare` is the tokens that the digest of an earlier try left unused. They play no part in
    whether there is a digest, or the tries would swing between a digest and none."""
    digests = [entry for entry in old if isinstance(entry, Digest)]
    made = choices.fit(room)
    if not (made.out or any(lost_thoughts(cut_input.entries))):
        return made.edits, made.back, False
    room += sum(digest.tokens for digest in digests) - cut_input.digest_room - cut_input.index_room
    made = choices.fit(room + spare)
    gone = set(made.out)
    leaving = [entry for entry in old if isinstance(entry, Digest) or entry.id in gone]
    # Where every entry can stay, the oldest step leaves for the digest of what the others thought.
    if not leaving:
        leaving += [entry for entry in old if isinstance(entry, Step)][:1]
    gone |= {entry.id for entry in leaving}
    edits = tuple(edit for edit in made.edits if getattr(edit, "entry", 0) not in gone)
    digest = fold_into_digest(cut_input, leaving, digest_bounds(cut_input, leaving, edits))
    return (*digest, *edits), made.back, True


def digest_bounds(
    cut_input: CutInput,
    leaving: Iterable[Entry] = (),
    edits: Iterable[Edit] = (),
    most: int | None = None,
) -> DigestRoom:
    """Return the bounds of a digest in this window: at most `most` tokens in all; with None what
    the history allows.

    Where the policy sets a limit for lowered entries, the digest gets what the lowered entries
    leave of it; `leaving` (entries that leave) and `edits` tell which entries are lowered."""
    whole = cut_input.both_room if most is None else most
    limits, most = cut_input.window.limits, cut_input.policy.layout.compacted_tokens
    if most:  # the lines that stay have their part of it
        gone = {entry.id for entry in leaving}
        lines = {e.id: e.tokens for e in cut_input.entries if is_lowered(e) and e.id not in gone}
        lines |= {one.entry: one.tokens for one in edits if isinstance(one, Lowered)}
        left = layout_part_tokens(cut_input.policy, limits, most) - limits.run - sum(lines.values())
        whole = min(whole, left - NAMES)
    return DigestRoom(min(cut_input.digest_room, whole), cut_input.index_room, whole)


def fold_into_digest(
    cut_input: CutInput, leaving: Sequence[Entry], bounds: DigestRoom
) -> tuple[Folded, ...]:
    """Return, in a tuple, the edit that folds the `leaving` entries into one digest; () where
    `leaving` is empty. The entries need not be neighbours: entries between them stay."""
    if not leaving:
        return ()
    gone = {entry.id for entry in leaving}
    standing = [entry for entry in cut_input.entries if entry.id not in gone]
    digest = make_digest(leaving, bounds, cut_input.sizes.count, standing)
    kept = tuple(
        entry.id
        for entry in cut_input.entries
        if digest.first <= entry.id <= digest.last and entry.id not in gone
    )
    return (Folded(digest.first, digest.last, digest, kept),)
