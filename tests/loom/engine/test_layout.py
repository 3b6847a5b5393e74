"""The parts of the small-window layout that are held on entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.compress.parts import part
from loom.engine.layout import check_parts
from loom.policy import policy_of
from loom_partitions.config import Opened
from loom_partitions.limits import Limits
from loom_partitions.message import Detail
from loom_partitions.window import Window
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with
from tests.kit.step import last_step, step

opened = opened_with()

EAGER = loom.PRESETS["eager"]
BARE = replace(EAGER, own_tools=False)
WORD = "word "  # a token
TOOL = {"name": "look", "description": WORD * 900, "parameters": {"type": "object"}}


def head(ctx: loom.Context) -> int:
    """Tokens of instructions, examples and tools."""
    return ctx.window.tokens.system + ctx.window.skill.tools.settle().tokens


def test_nothing_is_checked_without_parts(opened: Open) -> None:
    """The lazy preset, and a policy of no parts, take what leaves room for a history."""
    for policy in (loom.Policy(own_tools=False), replace(BARE, prompt_tokens=0, examples_tokens=0)):
        ctx = opened("", window=8_192, reply=3_492, policy=policy)
        ctx.system(WORD * 2_000)
        ctx.system(WORD * 900, "examples")
        ctx.tools.declare(TOOL)
    check_parts(loom.Policy(), (), ctx.window, ctx.window)


@all_cases(("room", "tokens"), [(4_700, 1_500), (9_400, 3_000), (470, 150), (1, 1)], ids=str)
def test_parts_are_shares_of_the_room(room: int, tokens: int) -> None:
    """In another window a part is the same share of what is left beside the reply."""
    limits = Limits(window=room + 100, reply=100)
    assert part(EAGER, limits, EAGER.prompt_tokens) == tokens
    assert part(replace(EAGER, layout_room=0), limits, 1_500) == 1_500
    assert part(EAGER, limits, 0) == 0


def test_the_parts_are_the_whole_room() -> None:
    """Together with the reply the documented parts are 8,192 tokens."""
    parts = ("prompt", "examples", "compacted", "recent", "goal")
    assert sum(getattr(EAGER, f"{name}_tokens") for name in parts) == EAGER.layout_room
    assert EAGER.layout_room + 3_492 == 8_192


@pytest.mark.exact
def test_a_prompt_over_its_part_is_refused(opened: Open) -> None:
    """The error names the part, its size, its cap and what to do; nothing is stored."""
    ctx = opened(window=8_192, policy=BARE)
    before = ctx.window
    with pytest.raises(loom.OverPart, match=r"3,5\d\d tokens.* 1,500: shorten") as error:
        ctx.system(WORD * 3_500)
    assert (error.value.part, error.value.capacity) == ("instructions and tools", 1_500)
    assert error.value.partition == "system"
    assert isinstance(error.value, loom.OverCapacity)
    assert "prompt_tokens" in str(error.value)
    assert ctx.window is before
    assert not ctx.pressure.pages


@pytest.mark.exact
def test_tools_are_of_the_same_part(opened: Open) -> None:
    """A tool is refused where the prompt has left too little, and the other way round."""
    ctx = opened(window=8_192, policy=BARE)
    ctx.system(WORD * 1_000)
    with pytest.raises(loom.OverPart, match="instructions and tools"):
        ctx.tools.declare(TOOL)
    assert ctx.tools.declared == ()
    ctx.system(WORD * 300)
    ctx.tools.declare(TOOL)
    with pytest.raises(loom.OverPart):
        ctx.system(WORD * 1_000)
    assert head(ctx) <= 1_500


@pytest.mark.exact
def test_examples_have_their_own_part(opened: Open) -> None:
    """They are what a key says that begins so, all together, and leave the prompt its own."""
    ctx = opened(window=8_192, policy=BARE)
    ctx.system(WORD * 400, "examples")
    with pytest.raises(loom.OverPart, match=r"examples would take .* 500"):
        ctx.system(WORD * 200, "example of a search")
    ctx.system(WORD * 1_400)
    assert 1_800 < head(ctx) <= 2_000


@pytest.mark.exact
def test_loom_s_own_tools_are_counted_and_told(opened: Open) -> None:
    """They are tools of the request: what is refused for them is told so, with the way out."""
    ctx = opened(window=8_192, policy="eager")
    ctx.system(WORD * 600)
    with pytest.raises(loom.OverPart, match=r"\d{3} are Loom's own tools: Policy.own_tools=False"):
        ctx.system(WORD * 1_000)
    assert head(ctx) <= 1_500


def test_loom_s_own_tools_are_never_refused(opened: Open) -> None:
    """A window in which they alone are more than the part opens, and takes no prompt."""
    ctx = opened(window=2_500, policy="eager")
    assert "page_in" in ctx.tools.declared
    with pytest.raises(loom.OverPart):
        ctx.system("Be careful.")


@pytest.mark.exact
def test_a_smaller_window_is_refused_typed(opened: Open) -> None:
    """A prompt over its part there: the window stays as it is; a smaller prompt lets it shrink."""
    ctx = opened(window=8_192, policy=BARE)
    ctx.system(WORD * 1_300)
    before = ctx.window
    with pytest.raises(loom.OverPart, match="instructions and tools"):
        ctx.resize(4_096)
    assert ctx.window is before
    with pytest.raises(loom.OverPart):
        opened(window=4_096)
    ctx = opened()
    ctx.system(WORD * 500)
    ctx.resize(4_096)
    ctx.resize(32_000)
    ctx.system(WORD * 4_000)


def test_what_stood_over_its_part_may_shrink(opened: Open) -> None:
    """After a provider named a smaller window, less is never refused, more is."""
    ctx = opened(window=8_192, policy=BARE)
    ctx.system(WORD * 1_300)
    ctx.turn()
    ctx.overflowed(Exception("maximum context length is 4096 tokens, you requested 9000 tokens"))
    ctx.system(WORD * 1_200)
    with pytest.raises(loom.OverPart):
        ctx.system(WORD * 1_250)


def test_parts_are_recorded_with_the_policy(opened: Open) -> None:
    """They hold after a reopening that does not name them; the user's own values too."""
    opened("mine", window=8_192, policy=replace(BARE, prompt_tokens=400)).close()
    ctx = opened("mine")
    with pytest.raises(loom.OverPart, match="400"):
        ctx.system(WORD * 500)


def test_a_policy_of_before_has_no_parts() -> None:
    """What was recorded before parts had caps is read as a policy without them."""
    limits = Limits(window=8_192, reply=3_492)
    window = Window(config=Opened(limits, {"preset": "eager", "compacted_tokens": 500}))
    policy = policy_of(window)
    assert (policy.prompt_tokens, policy.recent_tokens, policy.rest_recent) == (0, 0, False)
    assert part(policy, limits, policy.compacted_tokens) == 500


@pytest.mark.exact
def test_a_goal_over_its_part_is_a_line_with_its_page(opened: Open) -> None:
    """200 tokens of it stand, the whole rests on a page; in a larger window more stand."""
    ctx = opened(window=8_192, policy="eager", goal=WORD * 600)
    goal = ctx.window.working.goal
    assert goal is not None
    assert 100 < goal.tokens <= 200
    assert ctx.page_in(goal.page).text == WORD * 600
    large = opened("large", window=64_000, policy="eager", goal=WORD * 600).window.working.goal
    assert large is not None
    assert large.tokens >= 600


def test_recent_steps_give_way_to_memory(tmp_path: Path, opened: Open) -> None:
    """AGENTS.md has its share beside a full head: recent results rest instead, not the newest."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "AGENTS.md").write_text("# Rules\n\n" + "Never push to main.\n" * 140)
    ctx = opened(window=8_192, policy=BARE, project=tmp_path / "p")
    ctx.system(WORD * 1_370)
    ctx.system(WORD * 480, "examples")
    for _ in range(6):
        step(ctx, 60, tool="fs:read_file", args={"path": "a.py"})
        turn = ctx.turn()
    details = [one.detail for one in ctx.window.history.stream.entries]
    assert details[-3:] == [Detail.SNIPPED, Detail.FULL, Detail.FULL]
    assert turn.pressure.tokens.memory > 400
    assert "Never push to main." in json.dumps(turn.request("openai"))


def test_a_step_is_within_the_part_of_the_recent_ones(opened: Open) -> None:
    """A long reply leaves its results less, so that the newest step fits by itself."""
    ctx = opened(window=8_192, policy=BARE)
    step(ctx, WORD * 1_150, said=WORD * 1_100)
    assert 1_500 < last_step(ctx).tokens <= 2_000
