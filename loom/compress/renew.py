"""Renewal: what the fresh window keeps of the old one.

Theory of operation. The fresh window is the head, one digest of everything that left, the newest
entries, and the dashboard. The entries that came in since the last reply stay whole wherever they
fit at all (`loom.compress.newest_entries`). The entries before them are taken from the end, at the
detail they have, while they fit low water. Where nothing came in, the last entry always stays: its
texts are snipped, ever shorter, and at last it becomes a line. So one call converges: to low water,
or to the newest entries with a minimal digest, or, when the protected partitions leave less than a
line's room below 0.95, to `OverCapacity`, which names the largest of them or the pins without which
there would be room. Entries that the host pinned stay as they are."""

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
    """The plan of a renewal: its `edits`, `target` (the most tokens of the fresh window) and `room`
    (the tokens reserved for the entries since the last reply)."""

    edits: tuple[Edit, ...]
    target: int
    room: int


def plan_renewal(cut_input: CutInput) -> RenewalPlan:
    """Return the plan for a fresh window. Raises OverCapacity if no fresh window can be small
    enough."""
    cut_input = replace(cut_input, target=renewal_target(cut_input))
    room = room_for_newest(cut_input)
    came_in, tokens = fit_newest(cut_input, room)
    chosen = _edits_to_older_entries(cut_input, came_in)
    if chosen:
        return RenewalPlan(chosen, cut_input.target, room)
    for _ in range(TRIES):
        needed, edits = _smallest_window(cut_input, came_in, tokens)
        if needed <= fresh_window_limit(cut_input):
            return RenewalPlan(edits, max(cut_input.target, needed), room)
        room = min(room, tokens) - (needed - fresh_window_limit(cut_input))
        came_in, tokens = fit_newest(cut_input, room)
    raise renewal_error(cut_input, needed)


def _edits_to_older_entries(cut_input: CutInput, came_in: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits of the best plan that reaches the target, `came_in` included; () if no plan
    does. `came_in` are the edits to the entries since the last reply."""
    step = next((e for e in reversed(cut_input.entries) if isinstance(e, Step)), None)
    ends = {e.id: e for e in (step, *cut_input.entries[-1:]) if e is not None}
    # The last step and the last entry are whole where they can be, unless the fresh window was
    # asked to be small; before they give way, what was only pinned for some steps does.
    whole = ((1.0, cut_input.pinned), (1.0, cut_input.keep | cut_input.pinned_for_good))
    for share, pinned in (*(() if cut_input.asked else whole), (END, cut_input.pinned)):
        room = int(cut_input.history * share)
        stays = ends.keys() | pinned | cut_input.unanswered
        old = [entry for entry in cut_input.entries if entry.id not in stays]
        free = ends.keys() - cut_input.pinned_for_good - cut_input.unanswered
        fixed = (
            *came_in,
            *(
                edit
                for id in sorted(free)
                for edit in _edits_to_end_entry(cut_input, ends[id], room)
            ),
        )
        chosen = (*plan_edits(cut_input, old, fixed), *fixed)
        if chosen and cut_input.tokens_after(chosen) + NAMES <= cut_input.target:
            return chosen
    return ()


def _edits_to_end_entry(cut_input: CutInput, entry: Entry, room: int) -> Iterator[Edit]:
    """Yield edits that shorten `entry`, the last step or entry, to at most `room` tokens."""
    if isinstance(entry, Digest) or entry.detail < Detail.REDUCED:
        yield from fit_entries(cut_input, [entry], room)[0]


def _smallest_window(
    cut_input: CutInput, came_in: Sequence[Edit], tokens: int
) -> tuple[int, tuple[Edit, ...]]:
    """Return (tokens, edits) for the smallest possible window. Pinned entries stay unchanged.
    `came_in` shortens the entries since the last reply to `tokens`."""
    pins = pinned_tokens(cut_input)
    room = max(cut_input.target, 0) - protected_tokens(cut_input) - pins - tokens
    best: tuple[int, tuple[Edit, ...]] | None = None
    for _ in range(TRIES):
        edits = (*_digest_and_newest(cut_input, room), *came_in)
        needed = cut_input.tokens_after(edits) + NAMES * any(isinstance(e, Folded) for e in edits)
        if best is None or needed < best[0]:
            best = needed, edits
        if needed <= cut_input.target:
            break
        room -= needed - cut_input.target
    assert best is not None
    return best


def _digest_and_newest(cut_input: CutInput, room: int) -> tuple[Edit, ...]:
    """Return edits that reduce the older entries to about `room` tokens: the newest stay, all
    others are folded into a digest."""
    stays = cut_input.pinned_for_good | cut_input.unanswered
    older = [entry for entry in cut_input.entries if entry.id not in stays]
    digest_room = cut_input.digest_room if len(cut_input.entries) > 1 else 0
    kept: set[int] = set()
    edits, spent = tuple[Edit, ...](), 0
    if older and not cut_input.newest and older[-1].id == cut_input.entries[-1].id:
        kept.add(older[-1].id)
        edits, spent = fit_entries(cut_input, older[-1:], room - min(digest_room, LEAST_DIGEST))
    for entry in reversed(older[: len(older) - len(kept)]):
        if isinstance(entry, Digest) or spent + entry.tokens > room - digest_room:
            break
        spent += entry.tokens
        kept.add(entry.id)
    leaving = [entry for entry in older if isinstance(entry, Digest) or entry.id not in kept]
    bounds = digest_bounds(cut_input, leaving, edits, max(LEAST_DIGEST, room - spent))
    return (*fold_into_digest(cut_input, leaving, bounds), *edits)


def renewal_error(cut_input: CutInput, needed: int) -> OverCapacity:
    """Return the error for a renewal that does not fit. `needed` is the size in tokens of the
    smallest possible window."""
    window = cut_input.window
    needs = {
        "system": window.system.settle().tokens,
        "memory": window.memory.settle().tokens,
        "skill": window.skill.settle().tokens,
        "history": needed - protected_tokens(cut_input),
        "working": cut_input.reserve,
    }
    return over_capacity_error(window, needs, needed - renewal_ceiling(window))
