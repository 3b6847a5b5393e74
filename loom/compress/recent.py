"""The recent steps of the eager layout: what of them stands in one line, and which leave.

The documents reduce a step when its result comes: what is over its threshold goes to its page at
once, and what was written is never kept. Here the newest step stands as it came, for the agent has
yet to read it; of the steps before it that is done, but for files that were read, which by the
documents stay until their step is compacted, and for what its tool calls an error. Where the steps
together outgrow their part, those go too, then the oldest steps, never the newest.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loom.compress.parts import part
from loom.compress.scene import Scene
from loom.compress.snip import shortened_call
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import ARROW
from loom.reduce.aliases import READ, WRITE
from loom_partitions.edits import Shortened
from loom_partitions.message import Call, Detail, Digest, Outcome, Step, Text

STAYS = READ  # "content often needed for reasoning": kept until its step is compacted
CALL_CHARS = 200  # of a call that wrote a file: its path, the head of the content, where it rests


class RecentSteps(Struct, frozen=True):
    """Edits to recent steps that stay, and those that leave, oldest first."""

    edits: tuple[Shortened, ...] = ()
    leaving: tuple[Step, ...] = ()


def recent_steps(scene: Scene) -> RecentSteps:
    """What becomes of the last steps; nothing where the policy has no such part."""
    steps = [e for e in scene.entries if isinstance(e, Step) and e.id >= scene.horizon]
    older = [e for e in steps[:-1] if e.id not in scene.pinned and e.detail < Detail.REDUCED]
    edits: dict[int, list[Shortened]] = {}
    freed: dict[int, int] = {}

    def take(step: Step, found: Iterator[tuple[Shortened, int]]) -> None:
        for edit, less in found:
            edits.setdefault(step.id, []).append(edit)
            freed[step.id] = freed.get(step.id, 0) + less

    if scene.policy.rest_recent:
        for step in older:
            take(step, _rested(scene, step, kept=False))
            take(step, _written(scene, step))
    over = sum(step.tokens for step in steps) - sum(freed.values()) - _room(scene)
    if not scene.policy.recent_tokens or over <= 0:
        return RecentSteps(_all(edits))
    for step in older:
        before = freed.get(step.id, 0)
        if over > 0:
            done = {edit.at for edit in edits.get(step.id, ()) if edit.where == "result"}
            more = _rested(scene, step, kept=True)
            take(step, (pair for pair in more if pair[0].at not in done))
            over -= freed.get(step.id, 0) - before
    leaving: list[Step] = []
    for step in older:
        if over <= 0:
            break
        leaving.append(step)
        over -= step.tokens - freed.get(step.id, 0)
        edits.pop(step.id, None)
    return RecentSteps(_all(edits), tuple(leaving))


def _all(edits: dict[int, list[Shortened]]) -> tuple[Shortened, ...]:
    return tuple(edit for made in edits.values() for edit in made)


def _room(scene: Scene) -> int:
    """Tokens of the recent steps: their part, less where other partitions leave less."""
    policy, limits = scene.policy, scene.window.limits
    beside = sum(
        entry.tokens
        for entry in scene.entries
        if not isinstance(entry, Digest | Step) and entry.id >= scene.horizon
    )
    beside += scene.window.head_settled + scene.reserve
    beside += part(policy, limits, policy.compacted_tokens)
    left = int(limits.capacity * policy.auto_at) - beside
    return min(part(policy, limits, policy.recent_tokens), left)


def _rested(scene: Scene, step: Step, *, kept: bool) -> Iterator[tuple[Shortened, int]]:
    """Results on pages as their observation, each with the tokens it frees; with `kept` also those
    that stay while there is room."""
    for at, outcome in enumerate(step.outcomes):
        text, reduction = outcome.text, outcome.reduction
        if not text.page or text.media is not None:
            continue
        if not kept and (reduction.tool == STAYS or outcome.error):
            continue
        line = neutral(_line(outcome), scene.window.config.mark)
        tokens = scene.sizes.count(line)
        if tokens < text.tokens:
            short = Text(tokens, text.size, line, text.page)
            yield Shortened(step.id, "result", at, short), text.tokens - tokens


def _line(outcome: Outcome) -> str:
    return outcome.reduction.observation + ARROW + outcome.text.page


def _written(scene: Scene, step: Step) -> Iterator[tuple[Shortened, int]]:
    """Calls that wrote a file, without its content: it is on disk, and in the journal."""
    wrote = {
        outcome.call_id
        for outcome in step.outcomes
        if outcome.reduction.tool == WRITE and not outcome.error
    }
    for at, call in enumerate(step.parts):
        if isinstance(call, Call) and call.id in wrote and len(call.arguments) > CALL_CHARS:
            yield from shortened_call(scene, step, at, call, CALL_CHARS)
