"""The entries that came in since the last reply (here: the newest entries), fitted into a window:
whole where they fit, else as much of each as has room.

Theory of operation. The model has not read the newest entries yet, so everything
else gives way to them: low water, units read ahead, and older history down to a minimal digest.
Their room is the capacity less the protected tokens and less that digest. Where even this room is
too small, the user's own words come first; then one limit in characters is searched, the largest at
which all other texts fit. Each text over the limit keeps both its ends and says which lines of
which page are missing."""

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
    """Return the most tokens of a request after a renewal, without entries since the last reply."""
    return int(window.limits.capacity * CEILING)


def fresh_window_limit(cut_input: CutInput) -> int:
    """Return the most tokens that the window may take after a renewal."""
    came = sum(entry.tokens for entry in cut_input.newest)
    return min(renewal_ceiling(cut_input.window) + came, cut_input.window.limits.capacity)


def protected_tokens(cut_input: CutInput) -> int:
    """Return the tokens that no edit can free, such as the partitions before the history."""
    window = cut_input.window
    return window.head_settled + cut_input.reserve + window.limits.run


def pinned_tokens(cut_input: CutInput) -> int:
    """Return the tokens of the entries pinned without an end, up to the last reply."""
    pins = cut_input.pinned_for_good - cut_input.unanswered
    return sum(entry.tokens for entry in cut_input.entries if entry.id in pins)


def room_for_newest(cut_input: CutInput) -> int:
    """Return the tokens that the entries since the last reply may take."""
    whole = cut_input.target if cut_input.asked else cut_input.window.limits.capacity
    return whole - protected_tokens(cut_input) - pinned_tokens(cut_input) - LEAST_DIGEST - NAMES


def renewal_target(cut_input: CutInput) -> int:
    """Return the size in tokens that a renewal aims at: the target, or more if the entries since
    the last reply need more."""
    if cut_input.asked or not cut_input.newest:
        return cut_input.target
    room = room_for_newest(cut_input)
    came = min(sum(entry.tokens for entry in cut_input.newest), room)
    older = LEAST_DIGEST + max(room - came, 0) // OLDER_PART
    need = protected_tokens(cut_input) + pinned_tokens(cut_input) + came + older + NAMES
    return min(max(cut_input.target, need), fresh_window_limit(cut_input))


def fit_newest(cut_input: CutInput, room: int) -> EditsAndTokens:
    """Return (edits, tokens). The edits shorten the entries since the last reply to at most `room`
    tokens, words that the user typed last. `tokens` is the size of those entries afterwards."""
    pinned = cut_input.pinned_for_good
    fixed = sum(entry.tokens for entry in cut_input.newest if entry.id in pinned)
    free = [entry for entry in cut_input.newest if entry.id not in pinned]
    typed = [entry for entry in free if isinstance(entry, UserTurn) and entry.typed]
    rest = [entry for entry in free if entry not in typed]
    least = sum(min(entry.tokens, LEAST_PART) for entry in rest)
    words, spent = fit_entries(cut_input, typed, room - fixed - least)
    others, more = fit_entries(cut_input, rest, room - fixed - spent)
    return (*words, *others), fixed + spent + more


def fit_entries(cut_input: CutInput, entries: Sequence[Entry], room: int) -> EditsAndTokens:
    """Return (edits, tokens). The edits shorten these entries to at most `room` tokens; `tokens` is
    the size of the entries afterwards. Digests are not edited."""
    whole = sum(entry.tokens for entry in entries)
    free = [entry for entry in entries if not isinstance(entry, Digest)]
    if whole <= room or not free:
        return (), whole
    low, high = LEAST, max(map(_longest_text, free))
    best: EditsAndTokens | None = None
    for _ in range(HALVINGS):
        limit = isqrt(low * high)
        pairs = [pair for entry in free for pair in _edits_over_limit(cut_input, entry, limit)]
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
        return _one_line_edit(cut_input, free[0], room)
    parts = [fit_entries(cut_input, [entry], room // len(free)) for entry in free]
    return tuple(edit for edits, _ in parts for edit in edits), sum(tokens for _, tokens in parts)


def _longest_text(entry: UserTurn | Step) -> int:
    """Return the size of an entry's longest text or call arguments, at least LEAST."""
    sizes = [text.size for where, _, text in texts_by_place(entry) if where != "beside"]
    calls = entry.calls if isinstance(entry, Step) else ()
    return max([LEAST, *sizes, *(len(call.arguments) for call in calls)])


def _edits_over_limit(
    cut_input: CutInput, entry: UserTurn | Step, limit: int
) -> Iterator[tuple[Edit, int]]:
    """Yield (edit, tokens freed) for each text of an entry over `limit` characters. In a step with
    encrypted or signed reasoning only results and read-ahead texts are shortened: a provider may
    check the reasoning against the rest of the step."""
    bound = isinstance(entry, Step) and any(
        isinstance(part, Thought) and part.opaque for part in entry.parts
    )
    for edit, freed in edits_to_shorten(cut_input, entry, limit, largest=True):
        if not bound or edit.where in ("result", "beside"):
            yield edit, freed


def _one_line_edit(cut_input: CutInput, entry: UserTurn | Step, room: int) -> EditsAndTokens:
    """Return (edits, tokens). The only edit turns the entry into a line of at most `room` tokens,
    or the shortest possible line. `tokens` is the size of the line. The edits are () if a line
    would not be shorter."""
    # A line that had room in an earlier window may be too long for this one.
    detail = Detail.COMPACT if entry.detail >= Detail.REDUCED else Detail.REDUCED
    text = entry.line if detail is Detail.COMPACT else entry_line(entry, detail, cut_input.read)
    for limit in LINES:
        text = _shorter_line(entry, text, limit)
        tokens = cut_input.sizes.count(text + "\n")
        if tokens <= room:
            break
    if detail is Detail.COMPACT and tokens >= entry.tokens:
        return (), entry.tokens
    return (Lowered(entry.id, detail, text, tokens),), tokens


def _shorter_line(entry: UserTurn | Step, text: str, limit: int) -> str:
    """Return the line `text` of an entry, cut to `limit` characters or replaced by a notice."""
    if isinstance(entry, Step) and entry.outcomes:
        return one_line(text, limit)
    return beginning_or_notice(text, limit, otherwise=f"{name_of(entry)}: {LONG}")
