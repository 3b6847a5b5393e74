"""The step level of the eager preset: what leaves the last steps goes to its reduced form.

The seed's layout for small windows: compacted history at most 500 tokens, recent steps as calls and
results. It fires when more than five steps stand in full, when the history passes 2,000 tokens, or
after each call, whichever comes first. When the lines outgrow their part, the oldest become
compact, then fold into one digest ("Earlier: N steps completed").

The documents reduce a step when its result comes: what is over its threshold goes to its page at
once, and what was written is never kept. Here the newest step stands as it came, for the agent has
yet to read it; of the steps before it that is done, but for files that were read, which by the
documents stay until their step is compacted, and for what its tool calls an error. Where the steps
together outgrow their part, those go too, then the oldest steps, never the newest.
"""

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


def step(scene: CutInput) -> tuple[Edit, ...]:
    """Lower every old entry to a line, then fit the lines into their part."""
    recent = recent_step_edits(scene)
    if not is_step_level_due(scene, recent):
        return ()
    lines: dict[int, Lowered] = {}
    # One of the last steps may be a line already, after a renewal: it counts with the others.
    low = (e for e in scene.entries if is_lowered(e) and e.id not in scene.pinned)
    found = {entry.id for entry in (*scene.old, *recent.leaving, *low)}
    # As they stand: a digest has the id of its last entry, and comes before all it stands above.
    old = [entry for entry in scene.entries if entry.id in found]
    for entry in old:
        if not isinstance(entry, Digest) and entry.detail < Detail.REDUCED:
            lines[entry.id] = _line_edit(scene, entry, Detail.REDUCED)
    policy, limits = scene.policy, scene.window.limits
    room = layout_part_tokens(policy, limits, policy.layout.compacted_tokens) - limits.run
    total = sum(lines.get(entry.id, entry).tokens for entry in old)
    for entry in old:
        if total <= room:
            break
        if not isinstance(entry, Digest) and entry.detail < Detail.COMPACT:
            lower = _line_edit(scene, entry, Detail.COMPACT)
            spared = lines.get(entry.id, entry).tokens - lower.tokens
            if spared > 0:
                lines[entry.id] = lower
                total -= spared
    return (*_fit_lines(scene, old, lines, total, room), *recent.edits)


def is_step_level_due(scene: CutInput, recent: RecentStepEdits) -> bool:
    """True when one of the triggers fires and there is something to lower."""
    policy = scene.policy
    full = [e for e in scene.entries if isinstance(e, Step) and e.detail < Detail.REDUCED]
    history = scene.window.tokens.history
    crossed = (
        len(full) > policy.layout.steps
        or history > policy.layout.tokens
        or 0 < policy.layout.calls <= scene.window.sent.turn - scene.window.sent.cut_turn
    )
    if not policy.layout.steps or not crossed:
        return False
    pending = any(not isinstance(e, Digest) and e.detail < Detail.REDUCED for e in scene.old)
    return pending or bool(recent.edits or recent.leaving)


def _line_edit(scene: CutInput, entry: UserTurn | Step, detail: Detail) -> Lowered:
    text = entry_line(entry, detail, scene.read)
    return Lowered(entry.id, detail, text, scene.sizes.count(text + "\n"))


def _fit_lines(
    scene: CutInput, old: list[Entry], lines: dict[int, Lowered], left: int, room: int
) -> tuple[Edit, ...]:
    """Fold the oldest entries when the `left` tokens of all do not fit `room`."""
    if left <= room:
        return tuple(lines.values())
    # Half of the part for the digest, so that the next few steps need no new fold.
    bounds = DigestRoom(room // 2 - NAMES)
    count = 0
    while count < len(old) and left + bounds.facts + NAMES > room:
        left -= lines.get(old[count].id, old[count]).tokens
        count += 1
    kept = [lines[entry.id] for entry in old[count:] if entry.id in lines]
    return (*fold_into_digest(scene, old[:count], bounds), *kept)


class RecentStepEdits(Struct, frozen=True):
    """Edits to recent steps that stay, and those that leave, oldest first."""

    edits: tuple[Shortened, ...] = ()
    leaving: tuple[Step, ...] = ()


def recent_step_edits(scene: CutInput) -> RecentStepEdits:
    """The edits to the last steps; none where the policy has no such part."""
    steps = [e for e in scene.entries if isinstance(e, Step) and e.id >= scene.horizon]
    older = [e for e in steps[:-1] if e.id not in scene.pinned and e.detail < Detail.REDUCED]
    cuts = {step.id: dict[Shortened, int]() for step in older}  # with what each frees
    for step in older if scene.policy.layout.rest_recent else ():
        cuts[step.id] = dict(
            (*_observation_edits(scene, step, kept=False), *_written_call_edits(scene, step))
        )
    freed = sum(sum(mine.values()) for mine in cuts.values())
    over = sum(step.tokens for step in steps) - freed - _room_of_recent_steps(scene)
    over = over if scene.policy.layout.recent_tokens else 0
    for step in older:
        if over > 0:
            mine = cuts[step.id]
            done = {edit.at for edit in mine if edit.where == "result"}
            rested = _observation_edits(scene, step, kept=True)
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


def _room_of_recent_steps(scene: CutInput) -> int:
    """Tokens of the recent steps: their part, less where other partitions leave less."""
    policy, limits = scene.policy, scene.window.limits
    beside = sum(
        entry.tokens
        for entry in scene.entries
        if not isinstance(entry, Digest | Step) and entry.id >= scene.horizon
    )
    beside += scene.window.head_settled + scene.reserve
    beside += layout_part_tokens(policy, limits, policy.layout.compacted_tokens)
    left = int(limits.capacity * policy.auto_at) - beside
    return min(layout_part_tokens(policy, limits, policy.layout.recent_tokens), left)


def _observation_edits(
    scene: CutInput, step: Step, *, kept: bool
) -> Iterator[tuple[Shortened, int]]:
    """Results on pages as their observation, each with the tokens it frees; with `kept` also those
    that stay while there is room."""
    for at, outcome in enumerate(step.outcomes):
        text, reduction = outcome.text, outcome.reduction
        if not text.page or text.media is not None:
            continue
        if not kept and (reduction.tool == STAYS or outcome.error):
            continue
        line = neutral(reduction.observation + ARROW + text.page, scene.window.config.mark)
        tokens = scene.sizes.count(line)
        if tokens < text.tokens:
            short = Text(tokens, text.size, line, text.page)
            yield Shortened(step.id, "result", at, short), text.tokens - tokens


def _written_call_edits(scene: CutInput, step: Step) -> Iterator[tuple[Shortened, int]]:
    """Calls that wrote a file, without its content: it is on disk, and in the journal."""
    wrote = {
        outcome.call_id
        for outcome in step.outcomes
        if outcome.reduction.tool == WRITE and not outcome.error
    }
    for at, call in enumerate(step.parts):
        if isinstance(call, Call) and call.id in wrote and len(call.arguments) > CALL_CHARS:
            yield from edits_to_shorten_call(scene, step, at, call, CALL_CHARS)
