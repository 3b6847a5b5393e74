"""What was read ahead stands beside a result, and leaves with the cut that has no use for it."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from msgspec.structs import replace

import loom
from loom.compress.scene import Scene
from loom.compress.slicing import sliced
from loom.compress.snip import shortened, snip
from loom.compress.worth.ahead import Ahead, resident
from loom.compress.worth.units import Key
from loom.providers.render.quotes import beside_tokens
from loom.providers.render.render import messages
from loom_partitions import laws
from loom_partitions.edits import Edit, Lowered, carried_out
from loom_partitions.message import Detail, Step
from loom_partitions.records import Enclosed
from loom_partitions.window import apply
from tests.kit.opened import Open
from tests.kit.step import act, last_step


def source(word: str, lines: int = 110) -> str:
    """Lines of code with names of their own."""
    return "".join(f"{word}_{n} = compute({n}, {n * 7})\n" for n in range(lines))


@pytest.fixture
def ctx(opened: Open) -> loom.Context:
    """A session whose last step shows slices of an earlier read beside its result."""
    ctx = opened(window=64_000)
    ctx.user("start")
    act(ctx, "Read", {"path": "src/a.py"}, source("alpha"))
    act(ctx, "Grep", {"pattern": "alpha_5"}, source("found", 30))
    seen = ctx._engine.relief.cutter.scene(ctx.window, 0, 1)
    units = seen.catalog.of_entry[2]
    paged = Ahead(units[0].key[0], units[:2]).paged
    mark = ctx.window.config.mark
    tokens = beside_tokens(paged, mark, ctx._engine.sizes.count)
    paged = replace(paged, text=replace(paged.text, tokens=tokens))
    with ctx._engine.atomic:
        ctx._engine.commit(Enclosed(last_step(ctx).id, paged))
    return ctx


def scene(ctx: loom.Context) -> Scene:
    """What a strategy sees."""
    return ctx._engine.relief.cutter.scene(ctx.window, 0, 1)


def cut(seen: Scene, step: Step, keep: Collection[Key]) -> Step:
    """The step with these units alone, its tokens true."""
    made = sliced(seen, step, seen.catalog.of(step), keep)
    (after,) = carried_out([step], tuple(edit for edit, _ in made), 0)
    assert isinstance(after, Step)
    assert step.tokens - after.tokens == sum(freed for _, freed in made)
    refs = [getattr(getattr(edit, "text", None), "page", "") for edit, _ in made]
    assert all(refs)
    return after


def said(seen: Scene, step: Step) -> str:
    """The step's result as it is sent."""
    last = list(messages([step], seen.read, seen.window.config.mark))[-1]  # type: ignore[arg-type]
    return str(last.blocks[0].text)  # type: ignore[union-attr]


def test_it_is_inside_the_last_result(ctx: loom.Context) -> None:
    """Under its heading, behind the result's own text; the request is as large as it is counted."""
    step, mark = last_step(ctx), ctx.window.config.mark
    text = said(scene(ctx), step)
    assert text.startswith("found_0")
    assert f"\n\n[paged in {mark}: lines 1–80 of outputs/read_0001.txt (src/a.py)]\nalpha_0" in text
    assert [message["role"] for message in ctx.turn().request()["messages"]].count("user") <= 2
    assert laws.counted(ctx.window) == laws.paired(ctx.window) == []
    restored = ctx.history.restore(step.id)
    assert "alpha_0" not in str(restored) and "found_3" in str(restored)
    keys = {unit.key for unit in scene(ctx).catalog.of_entry[2][:2]}
    assert keys <= resident(scene(ctx).catalog, [step])


def test_a_slice_stays_under_its_heading(ctx: loom.Context) -> None:
    """One of two slices is left out: the heading names the lines that stay, and no others are."""
    seen, step = scene(ctx), last_step(ctx)
    first, second = seen.catalog.of_entry[2][:2]
    own = {unit.key for unit in seen.catalog.of_entry[step.id]}
    after = cut(seen, step, own | {second.key})
    assert after.beside[0].text.lines == ((second.first, second.last),)
    text = said(seen, after)
    assert f": lines {second.first}–{second.last} of outputs/read_0001.txt (src/a.py)]" in text
    assert first.text not in text and second.text.rstrip("\n") in text
    assert after.outcomes == step.outcomes
    assert resident(seen.catalog, [after]) == own | {second.key}
    assert cut(seen, after, own | {second.key}) == after


@pytest.mark.parametrize("own", [True, False])
def test_without_a_slice_it_leaves_no_trace(ctx: loom.Context, own: bool) -> None:
    """Nothing of it stays, whether the result's own lines do or not."""
    seen, step = scene(ctx), last_step(ctx)
    keep = {unit.key for unit in seen.catalog.of_entry[step.id]} if own else set[Key]()
    after = cut(seen, step, keep)
    assert after.beside == ()
    assert "paged in" not in said(seen, after) and "alpha_0" not in said(seen, after)
    assert ("found_3" in said(seen, after)) is own


def test_it_stays_where_the_result_leaves(ctx: loom.Context) -> None:
    """A step of which nothing but the lines beside it is in use is little more than these."""
    seen, step = scene(ctx), last_step(ctx)
    units = seen.catalog.of_entry[2][:2]
    after = cut(seen, step, {unit.key for unit in units})
    assert after.beside == step.beside
    assert "found_3" not in said(seen, after)
    assert after.tokens - after.beside[0].text.tokens < 80


def test_what_is_edited_since_is_said_anew(ctx: loom.Context) -> None:
    """A slice beside a result that an edit changed shows the file as it is now, and says so."""
    step = last_step(ctx)
    edit = {"path": "src/a.py", "old_string": "compute(3, 21)", "new_string": "changed(3)"}
    act(ctx, "Edit", edit, "ok")
    seen = scene(ctx)
    after = cut(seen, step, {unit.key for unit in seen.catalog.of(step)})
    assert "changed(3)" in said(seen, after) and "with your edits since" in said(seen, after)
    assert after.outcomes == step.outcomes


def test_a_line_shows_nothing_of_it(ctx: loom.Context) -> None:
    """A step that becomes a line loses what stood beside it, tokens and all."""
    step = last_step(ctx)
    line = Lowered(step.id, Detail.REDUCED, "step_0003 searched", 5)
    (after,) = carried_out([step], (line,), 0)
    assert isinstance(after, Step)
    assert (after.beside, after.tokens) == ((), 5)


def test_a_snip_leaves_it_alone_and_a_tight_end_drops_it(ctx: loom.Context) -> None:
    """It was chosen by its lines, so head and tail say less; the last entry may have no room."""
    seen, step = scene(ctx), last_step(ctx)
    seen.policy = replace(seen.policy, snip_chars=500)
    assert all(getattr(edit, "where", "") != "beside" for edit in snip(seen))
    made = list(shortened(seen, step, 100_000))
    edits: tuple[Edit, ...] = tuple(edit for edit, _ in made)
    (after,) = carried_out([step], edits, 0)
    assert isinstance(after, Step)
    left = step.tokens - step.beside[0].text.tokens
    assert after == replace(step, beside=(), tokens=left, detail=Detail.SNIPPED)


def test_its_place_in_the_result_is_the_same_in_any_fold(ctx: loom.Context) -> None:
    """The record adds its tokens to the step, and to nothing else."""
    before, step = ctx.window, last_step(ctx)
    after = apply(before, Enclosed(step.id, step.beside[0]))
    grown = after.tokens.total - before.tokens.total
    assert grown == step.beside[0].text.tokens
    assert laws.counted(after) == []
