"""The step level of the preset "eager": each step before the recent ones becomes a line.

The seed's layout for small windows: compacted history at most 500 tokens, recent steps as calls and
results. The level fires when more than five steps stand in full, when the history passes 2,000
tokens, or after each call, whichever comes first. When the lines outgrow their part, the oldest
lines become compact, then fold into one digest ("Earlier: N steps completed").

The documents reduce a step when its result comes: a result over its threshold goes to its page at
once, and written content is never kept. Here the newest step stands as it came, for the agent has
yet to read it. The steps before it are reduced so, with two exceptions: results of file reads,
which by the documents stay until their step is compacted, and results that the tool calls an error.
Where the recent steps together outgrow their part, those results go too, then the oldest steps,
never the newest."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loom.compress.auto import NAMES, fold_into_digest
from loom.compress.cut_input import CutInput
from loom.compress.digest.digest import DigestRoom
from loom.compress.entry_line import entry_line
from loom.compress.layout_parts import layout_part_tokens
from loom.compress.snip import edits_to_shorten_call
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import ARROW
from loom.reduce.aliases import READ, WRITE
from loom_partitions.edits import Edit, Lowered, Shortened
from loom_partitions.message import Call, Detail, Digest, Entry, Step, Text, UserTurn
from loom_partitions.stream import is_lowered

STAYS = READ  # "content often needed for reasoning": kept until its step is compacted
CALL_CHARS = 200  # of a call that wrote a file: its path, the head of the content, where it rests


def step(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the compression level step, () if it is not due. Each old entry becomes a
    line, or the oldest entries a digest."""
    recent = recent_step_edits(cut_input)
    if not is_step_level_due(cut_input, recent):
        return ()
    lines: dict[int, Lowered] = {}
    # One of the last steps may be a line already, after a renewal: it counts with the others.
    low = (e for e in cut_input.entries if is_lowered(e) and e.id not in cut_input.pinned)
    found = {entry.id for entry in (*cut_input.old, *recent.leaving, *low)}
    # As they stand: a digest has the id of its last entry, and comes before all it stands above.
    old = [entry for entry in cut_input.entries if entry.id in found]
    for entry in old:
        if not isinstance(entry, Digest) and entry.detail < Detail.REDUCED:
            lines[entry.id] = _line_edit(cut_input, entry, Detail.REDUCED)
    policy, limits = cut_input.policy, cut_input.window.limits
    room = layout_part_tokens(policy, limits, policy.layout.compacted_tokens) - limits.run
    total = sum(lines.get(entry.id, entry).tokens for entry in old)
    for entry in old:
        if total <= room:
            break
        if not isinstance(entry, Digest) and entry.detail < Detail.COMPACT:
            lower = _line_edit(cut_input, entry, Detail.COMPACT)
            spared = lines.get(entry.id, entry).tokens - lower.tokens
            if spared > 0:
                lines[entry.id] = lower
                total -= spared
    return (*_fit_lines(cut_input, old, lines, total, room), *recent.edits)


def is_step_level_due(cut_input: CutInput, recent: RecentStepEdits) -> bool:
    """Return True if the compression level step should act: a limit of the policy is reached, and
    there is something to shorten. `recent` has the edits to recent steps."""
    policy = cut_input.policy
    full = [e for e in cut_input.entries if isinstance(e, Step) and e.detail < Detail.REDUCED]
    history = cut_input.window.tokens.history
    crossed = (
        len(full) > policy.layout.steps
        or history > policy.layout.tokens
        or 0 < policy.layout.calls <= cut_input.window.sent.turn - cut_input.window.sent.cut_turn
    )
    if not policy.layout.steps or not crossed:
        return False
    pending = any(not isinstance(e, Digest) and e.detail < Detail.REDUCED for e in cut_input.old)
    return pending or bool(recent.edits or recent.leaving)


def _line_edit(cut_input: CutInput, entry: UserTurn | Step, detail: Detail) -> Lowered:
    """Return the edit that replaces an entry by one line, at the detail REDUCED or COMPACT."""
    text = entry_line(entry, detail, cut_input.read)
    return Lowered(entry.id, detail, text, cut_input.sizes.count(text + "\n"))


def _fit_lines(
    cut_input: CutInput, old: list[Entry], lines: dict[int, Lowered], left: int, room: int
) -> tuple[Edit, ...]:
    """Return the edits in `lines` (by entry id), which turn entries of `old` into lines. The oldest
    entries are folded into a digest instead if `left`, the tokens of `old` as lines, is over
    `room`."""
    if left <= room:
        return tuple(lines.values())
    # Half of the part for the digest, so that the next few steps need no new fold.
    bounds = DigestRoom(room // 2 - NAMES)
    count = 0
    while count < len(old) and left + bounds.facts + NAMES > room:
        left -= lines.get(old[count].id, old[count]).tokens
        count += 1
    kept = [lines[entry.id] for entry in old[count:] if entry.id in lines]
    return (*fold_into_digest(cut_input, old[:count], bounds), *kept)


class RecentStepEdits(Struct, frozen=True):
    """The edits to recent steps. `edits` shorten the recent steps that stay. `leaving` are the
    recent steps without room, oldest first."""

    edits: tuple[Shortened, ...] = ()
    leaving: tuple[Step, ...] = ()


def recent_step_edits(cut_input: CutInput) -> RecentStepEdits:
    """Return the edits that bring the recent steps within their share of the window, and the steps
    that do not fit."""
    steps = [e for e in cut_input.entries if isinstance(e, Step) and e.id >= cut_input.horizon]
    older = [e for e in steps[:-1] if e.id not in cut_input.pinned and e.detail < Detail.REDUCED]
    cuts = {step.id: dict[Shortened, int]() for step in older}  # with what each frees
    for step in older if cut_input.policy.layout.rest_recent else ():
        cuts[step.id] = dict(
            (
                *_observation_edits(cut_input, step, kept=False),
                *_written_call_edits(cut_input, step),
            )
        )
    freed = sum(sum(mine.values()) for mine in cuts.values())
    over = sum(step.tokens for step in steps) - freed - _room_of_recent_steps(cut_input)
    over = over if cut_input.policy.layout.recent_tokens else 0
    for step in older:
        if over > 0:
            mine = cuts[step.id]
            done = {edit.at for edit in mine if edit.where == "result"}
            rested = _observation_edits(cut_input, step, kept=True)
            more = {edit: less for edit, less in rested if edit.at not in done}
            mine |= more
            over -= sum(more.values())
    leaving: list[Step] = []
    for step in older:
        if over <= 0:
            break
        leaving.append(step)
        over -= step.tokens - sum(cuts.pop(step.id).values())
    return RecentStepEdits(tuple(edit for mine in cuts.values() for edit in mine), tuple(leaving))


def _room_of_recent_steps(cut_input: CutInput) -> int:
    """Return the tokens that the recent steps may take."""
    policy, limits = cut_input.policy, cut_input.window.limits
    beside = sum(
        entry.tokens
        for entry in cut_input.entries
        if not isinstance(entry, Digest | Step) and entry.id >= cut_input.horizon
    )
    beside += cut_input.window.head_settled + cut_input.reserve
    beside += layout_part_tokens(policy, limits, policy.layout.compacted_tokens)
    left = int(limits.capacity * policy.auto_at) - beside
    return min(layout_part_tokens(policy, limits, policy.layout.recent_tokens), left)


def _observation_edits(
    cut_input: CutInput, step: Step, *, kept: bool
) -> Iterator[tuple[Shortened, int]]:
    """Yield (edit, tokens freed) for each result that has a page; its observation replaces the
    result. If `kept` is False, file reads and errors are skipped."""
    for at, outcome in enumerate(step.outcomes):
        text, reduction = outcome.text, outcome.reduction
        if not text.page or text.media is not None:
            continue
        if not kept and (reduction.tool == STAYS or outcome.error):
            continue
        line = neutral(reduction.observation + ARROW + text.page, cut_input.window.config.mark)
        tokens = cut_input.sizes.count(line)
        if tokens < text.tokens:
            short = Text(tokens, text.size, line, text.page)
            yield Shortened(step.id, "result", at, short), text.tokens - tokens


def _written_call_edits(cut_input: CutInput, step: Step) -> Iterator[tuple[Shortened, int]]:
    """Yield (edit, tokens freed) for each call that wrote a file. The edit removes the written
    content."""
    wrote = {
        outcome.call_id
        for outcome in step.outcomes
        if outcome.reduction.tool == WRITE and not outcome.error
    }
    for at, call in enumerate(step.parts):
        if isinstance(call, Call) and call.id in wrote and len(call.arguments) > CALL_CHARS:
            yield from edits_to_shorten_call(cut_input, step, at, call, CALL_CHARS)
