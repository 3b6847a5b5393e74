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
    """Return the edits of the compression level auto. They cut old entries to slices or fold old
    entries into a digest."""
    return plan_for_lowered(cut_input, list(cut_input.old))


def collapse(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the compression level collapse: those of auto, except that the first
    entries, which hold the task, stay unchanged."""
    old = list(cut_input.old)
    # An oldest entry that is a digest holds the task already; it is folded into the new digest.
    first = 0 if old and isinstance(old[0], Digest) else cut_input.policy.tuning.first
    return plan_for_lowered(cut_input, old[first:])


def plan_for_lowered(cut_input: CutInput, lowered: Sequence[Entry]) -> tuple[Edit, ...]:
    """Return edits that shorten or fold the entries in `lowered` until the request reaches its
    target, and edits that remove outdated text of files from all other entries."""
    fixed = edits_to_kept_entries(cut_input, lowered) if cut_input.excess > 0 else ()
    return (*plan_edits(cut_input, lowered, fixed), *fixed)


def plan_edits(
    cut_input: CutInput, old: Sequence[Entry], fixed: tuple[Edit, ...] = ()
) -> tuple[Edit, ...]:
    """Return edits that shorten or fold entries of `old` until the request reaches its target; ()
    for none. `fixed` are edits to other entries, whose effect is counted; they are not returned."""
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
    """Return (edits, tokens, digested) of one try. The edits bring the entries in `old` down to
    about `room` tokens. `tokens` is the part of `room` reserved for text that returns to the
    window. `digested` is True if the edits make a digest. `spare` is the number of tokens that the
    digest of an earlier try left unused."""
    digests = [entry for entry in old if isinstance(entry, Digest)]
    # Without `spare`: with it the tries would alternate between a digest and none.
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
    """Return the token limits of a new digest. `most` limits the whole digest; None means a share
    of the history. `leaving` are the entries folded into the digest, `edits` the other edits of the
    cut."""
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
    """Return a tuple with the edit that folds the `leaving` entries into a digest; () if `leaving`
    is empty."""
    if not leaving:
        return ()
    gone = {entry.id for entry in leaving}
    standing = [entry for entry in cut_input.entries if entry.id not in gone]
    digest = make_digest(leaving, bounds, cut_input.sizes.count, standing)
    kept = tuple(entry.id for entry in standing if digest.first <= entry.id <= digest.last)
    return (Folded(digest.first, digest.last, digest, kept),)
