"""What came in since the last reply: whole where it fits, else as much of it as there is room for.

Theory of operation
-------------------
The model has not read it yet, so everything else gives way to it: low water, what was read ahead,
older history down to a minimal digest. Its room is the capacity less what is protected and less
that digest. Where even this room is too small, the user's own words come first; then one limit in
characters is looked for, the largest that lets all other texts fit. Each text over the limit keeps
both of its ends and says which lines of which page are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

from loom.compress.auto import NAMES
from loom.compress.cut_input import LEAST_DIGEST, CutInput
from loom.compress.entry_line import entry_line, texts_by_place
from loom.compress.snip import LEAST, edits_to_shorten
from loom.reduce.clauses import LONG, beginning_or_notice
from loom.text import one_line
from loom_partitions.edits import Edit, Lowered
from loom_partitions.laws import LEAST_PART
from loom_partitions.limits import CEILING
from loom_partitions.message import Detail, Digest, Entry, Step, Thought, UserTurn, name_of
from loom_partitions.window import Window

OLDER_PART = 2  # of what is left beside what came in, older history gets one part in so many
HALVINGS = 9  # of the range in which the limit is looked for
LINES = (4_000, 1_000, 500, 240, 120)  # characters of an entry as a line

EditsAndTokens = tuple[tuple[Edit, ...], int]  # edits, and the tokens the entries take after them


def renewal_ceiling(window: Window) -> int:
    """The most tokens a request may take for a renewal of this window to be allowed."""
    return int(window.limits.capacity * CEILING)


def fresh_window_limit(scene: CutInput) -> int:
    """The most tokens the window of this scene may take after a renewal: all of the capacity, where
    what came in last fills it."""
    came = sum(entry.tokens for entry in scene.newest)
    return min(renewal_ceiling(scene.window) + came, scene.window.limits.capacity)


def protected_tokens(scene: CutInput) -> int:
    """Head (as it will be once settled), dashboard, and the overhead of a lowered run."""
    window = scene.window
    return window.head_settled + scene.reserve + window.limits.run


def pinned_tokens(scene: CutInput) -> int:
    """Tokens of what the host pinned for good, but for what came in last."""
    pins = scene.pinned_for_good - scene.unanswered
    return sum(entry.tokens for entry in scene.entries if entry.id in pins)


def room_for_newest(scene: CutInput) -> int:
    """Tokens that what came in last may take: of a size a host or a provider asked for, else of
    the capacity."""
    whole = scene.target if scene.asked else scene.window.limits.capacity
    return whole - protected_tokens(scene) - pinned_tokens(scene) - LEAST_DIGEST - NAMES


def renewal_target(scene: CutInput) -> int:
    """Tokens a renewal goes down to: its target, or more where what came in last needs more; then
    a part of what is left beside it is for older history."""
    if scene.asked or not scene.newest:
        return scene.target
    room = room_for_newest(scene)
    came = min(sum(entry.tokens for entry in scene.newest), room)
    older = LEAST_DIGEST + max(room - came, 0) // OLDER_PART
    need = protected_tokens(scene) + pinned_tokens(scene) + came + older + NAMES
    return min(max(scene.target, need), fresh_window_limit(scene))


def fit_newest(scene: CutInput, room: int) -> EditsAndTokens:
    """The newest entries within `room` tokens, the user's own words first."""
    pinned = scene.pinned_for_good
    fixed = sum(entry.tokens for entry in scene.newest if entry.id in pinned)
    free = [entry for entry in scene.newest if entry.id not in pinned]
    typed = [entry for entry in free if isinstance(entry, UserTurn) and entry.typed]
    rest = [entry for entry in free if entry not in typed]
    least = sum(min(entry.tokens, LEAST_PART) for entry in rest)
    words, spent = fit_entries(scene, typed, room - fixed - least)
    others, more = fit_entries(scene, rest, room - fixed - spent)
    return (*words, *others), fixed + spent + more


def fit_entries(scene: CutInput, entries: Sequence[Entry], room: int) -> EditsAndTokens:
    """Entries in at most `room` tokens, the same limit for each of their texts; where none is low
    enough each has its part, and is one line where that is too small; a digest stays."""
    whole = sum(entry.tokens for entry in entries)
    free = [entry for entry in entries if not isinstance(entry, Digest)]
    if whole <= room or not free:
        return (), whole
    low, high = LEAST, max(map(_longest_text, free))
    best: EditsAndTokens | None = None
    for _ in range(HALVINGS):
        limit = isqrt(low * high)
        pairs = [pair for entry in free for pair in _edits_over_limit(scene, entry, limit)]
        tokens = whole - sum(freed for _, freed in pairs)
        if tokens <= room:
            low, best = limit, (tuple(edit for edit, _ in pairs), tokens)
        else:
            high = limit
        if high - low <= max(low // 50, 8):
            break
    if best is not None:
        return best
    if len(free) == 1:
        return _one_line_edit(scene, free[0], room)
    parts = [fit_entries(scene, [entry], room // len(free)) for entry in free]
    return tuple(edit for edits, _ in parts for edit in edits), sum(tokens for _, tokens in parts)


def _longest_text(entry: UserTurn | Step) -> int:
    sizes = [text.size for where, _, text in texts_by_place(entry) if where != "beside"]
    calls = entry.calls if isinstance(entry, Step) else ()
    return max([LEAST, *sizes, *(len(call.arguments) for call in calls)])


def _edits_over_limit(
    scene: CutInput, entry: UserTurn | Step, limit: int
) -> Iterator[tuple[Edit, int]]:
    """Edits to the texts of an entry over `limit`, with what each frees; what its reasoning may be
    bound to stays."""
    bound = isinstance(entry, Step) and any(
        isinstance(part, Thought) and part.opaque for part in entry.parts
    )
    for edit, freed in edits_to_shorten(scene, entry, limit, largest=True):
        if not bound or edit.where in ("result", "beside"):
            yield edit, freed


def _one_line_edit(scene: CutInput, entry: UserTurn | Step, room: int) -> EditsAndTokens:
    """An entry as one line within `room`, where it is no shorter as it stands."""
    # A line that had room in an earlier window may be too long for this one.
    detail = Detail.COMPACT if entry.detail >= Detail.REDUCED else Detail.REDUCED
    text = entry.line if detail is Detail.COMPACT else entry_line(entry, detail, scene.read)
    for limit in LINES:
        text = _shorter_line(entry, text, limit)
        tokens = scene.sizes.count(text + "\n")
        if tokens <= room:
            break
    if detail is Detail.COMPACT and tokens >= entry.tokens:
        return (), entry.tokens
    return (Lowered(entry.id, detail, text, tokens),), tokens


def _shorter_line(entry: UserTurn | Step, text: str, limit: int) -> str:
    """The line of an entry in so many characters: of what was said whole clauses."""
    if isinstance(entry, Step) and entry.outcomes:
        return one_line(text, limit)
    return beginning_or_notice(text, limit, otherwise=f"{name_of(entry)}: {LONG}")
