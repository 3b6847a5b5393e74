"""A plan: how near it comes to its target, and what is decided beside it."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom.compress.auto import FINE, auto, plan_edits
from loom.compress.choice import Choices
from loom.compress.cut_input import CutInput
from loom_partitions.edits import Edit, Folded, Lowered
from loom_partitions.message import Detail, Digest, Step
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

RULES = settings(max_examples=15, suppress_health_check=list(HealthCheck))


def filled(ctx: loom.Context, sizes: list[int]) -> None:
    """Readings of so many lines, what the user says between them, and three short steps."""
    for number, size in enumerate(sizes):
        text = "".join(f"value_{number}_{n} = compute_{n}({number})\n" for n in range(size))
        step(ctx, text, tool="Read", args=json.dumps({"path": f"src/part_{number}.py"}))
        if number % 4 == 0:
            ctx.user(f"Mind part {number} of it, please.")
    for _ in range(3):
        step(ctx, "ok")


def lowered(scene: CutInput) -> tuple[Edit, ...]:
    """An edit to the oldest step, made in any case."""
    first = next(entry for entry in scene.entries if isinstance(entry, Step))
    return (Lowered(first.id, Detail.COMPACT, "a line for it", 5),)


@all_cases("share", [0.25, 0.4, 0.6, 0.8])
def test_a_plan_comes_near_its_target(opened: Open, share: float) -> None:
    """What a plan leaves is at most the target, and less by no more than a part of an entry."""
    ctx = opened(window=64_000)
    filled(ctx, [20 + number * 7 % 60 for number in range(40)])
    target = int(ctx.window.tokens.total * share)
    seen = scene(ctx, target)
    after = seen.tokens_after(auto(seen))
    largest = max(entry.tokens for entry in seen.entries)
    assert target - max(2 * seen.history // FINE, largest) <= after <= target


@given(st.lists(st.integers(1, 90), min_size=4, max_size=14), st.integers(1_200, 9_000))
@RULES
def test_no_plan_passes_its_target(opened: Open, sizes: list[int], target: int) -> None:
    """Whatever came in, a target with room for what must stay is kept, and never needs nothing."""
    ctx = opened(window=64_000)
    filled(ctx, sizes)
    seen = scene(ctx, target)
    edits = auto(seen)
    assert bool(edits) is (seen.excess > 0)
    assert seen.tokens_after(edits) <= max(target, seen.window.tokens.total - seen.excess)


def test_what_is_decided_beside_a_plan_makes_room(opened: Open) -> None:
    """Edits to others count as made: they are not returned, and more of the rest stays."""
    ctx = opened(window=64_000)
    filled(ctx, [400, *[30] * 12])
    seen = scene(ctx, ctx.window.tokens.total // 2)
    fixed = lowered(seen)
    (edit,) = fixed
    assert isinstance(edit, Lowered)
    rest = [entry for entry in seen.old if entry.id != edit.entry]
    alone, beside = plan_edits(seen, rest), plan_edits(seen, rest, fixed)
    assert edit not in beside
    assert seen.tokens_after((*fixed, *beside)) <= seen.target
    assert seen.tokens_after(beside) > seen.tokens_after(alone)


def test_a_plan_folds_what_it_leaves_out_once(opened: Open) -> None:
    """All that leaves stands in one digest, and a digest that was there is part of it."""
    ctx = opened(window=16_000)
    filled(ctx, [60] * 25)
    ctx.renew(3_000)
    filled(ctx, [60] * 8)
    seen = scene(ctx, ctx.window.tokens.total // 2)
    (fold,) = (edit for edit in auto(seen) if isinstance(edit, Folded))
    old = [entry.id for entry in seen.entries if isinstance(entry, Digest)]
    assert len(old) == 1
    assert fold.takes(old[0])
    assert Choices(seen, []).fit(0).out == ()
