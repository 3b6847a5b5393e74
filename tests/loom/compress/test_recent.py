"""The recent steps of the eager layout: what stands in a line, what stays, what leaves."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import loom
from loom.compress.recent import RecentSteps, recent_steps
from loom_partitions.message import Detail, Step
from loom_partitions.stream import is_lowered
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opening
from tests.kit.scene import scene
from tests.kit.step import last_step, step

LONG = "a line of some result, of a few words\n"
RESULTS = {"results": [{"title": f"result {n}", "url": f"https://a.example/{n}"} for n in range(8)]}


def standing(ctx: loom.Context) -> list[Step]:
    """Steps that are still calls and results, oldest first."""
    steps = (one for one in ctx.window.history.stream.entries if isinstance(one, Step))
    return [one for one in steps if one.detail < Detail.REDUCED]


def played(ctx: loom.Context, *steps: tuple[str, dict[str, str], str]) -> list[Step]:
    """The steps that stand after some were made, each with a turn before and after it."""
    for tool, args, result in steps:
        ctx.turn()
        step(ctx, result, tool=tool, args=args)
        ctx.turn()
    return standing(ctx)


SEARCH = ("web:search", {"query": "loom"}, json.dumps(RESULTS))
VISIT = ("browser:navigate", {"url": "https://a.example/1"}, f"<p>{LONG * 4}</p>")
SHELL = ("system:shell", {"command": "make"}, LONG * 20)
LIST = ("fs:list_dir", {"path": "src"}, json.dumps({"entries": [f"f{n}.py" for n in range(30)]}))
READ = ("fs:read_file", {"path": "a.py"}, LONG * 40)
OTHER = ("weather:get", {"location": "Oslo"}, json.dumps({"hours": list(range(250))}))
WRITE = ("fs:write_file", {"path": "a.md", "content": LONG * 30}, '{"success": true}')
SMALL = ("fs:list_dir", {"path": "src"}, '{"entries": ["a.py", "b.py"]}')


def test_without_the_part_nothing_rests(opened: Open) -> None:
    """The lazy preset shows every recent result."""
    ctx = opened(window=8_192)
    assert [one.detail for one in played(ctx, SEARCH, SHELL, SMALL)] == [Detail.FULL] * 3
    assert recent_steps(scene(ctx)) == RecentSteps()


@all_cases("one", [SEARCH, VISIT, SHELL, LIST, OTHER], ids=lambda one: one[0])
def test_the_newest_result_is_whole(opened: Open, one: tuple) -> None:
    """What the agent just asked for stands as it came, in the first request that has it."""
    ctx = opened(window=8_192, policy="eager")
    assert played(ctx, SMALL, one)[-1].detail is Detail.FULL
    assert one[2] in [m.get("content") for m in ctx.turn().request("openai")["messages"]]


@all_cases("one", [SEARCH, VISIT, SHELL, LIST, OTHER], ids=lambda one: one[0])
def test_what_is_over_its_threshold_rests(opened: Open, one: tuple) -> None:
    """One step later it is its observation and its page, and still a call with its result."""
    first = played(opened(window=8_192, policy="eager"), one, SMALL)[0]
    outcome = first.outcomes[0]
    assert first.detail is Detail.SNIPPED
    assert outcome.text.body == f"{outcome.reduction.observation} → {outcome.text.page}"
    assert first.calls[0].arguments == json.dumps(one[1])


@pytest.mark.parametrize("one", [READ, SMALL], ids=lambda one: one[0])
def test_files_and_small_results_stay(opened: Open, one: tuple) -> None:
    """A file that was read is often reasoned on: it stays until its step is compacted."""
    ctx = opened(window=8_192, policy="eager")
    assert [e.detail for e in played(ctx, one, SMALL, SMALL)] == [Detail.FULL] * 3
    assert [e.id for e in played(ctx, SMALL)] == [2, 3, 4]


def test_an_error_stays(opened: Open) -> None:
    """What failed is what the agent works on."""
    ctx = opened(window=8_192, policy="eager")
    step(ctx, LONG * 20, tool="system:shell", args={"command": "make"}, error=True)
    assert played(ctx, SMALL)[0].detail is Detail.FULL


def test_written_content_leaves(opened: Open) -> None:
    """The call keeps its path and says where the rest is; one that failed keeps its content."""
    ctx = opened(window=8_192, policy="eager")
    first = played(ctx, WRITE, SMALL)[0]
    arguments = json.loads(first.calls[0].arguments)
    assert arguments["path"] == "a.md"
    assert len(first.calls[0].arguments) <= 200
    assert "history/step_0001.json" in first.calls[0].arguments
    assert json.loads(ctx.history.restore(1).reply.calls[0].arguments) == WRITE[1]


def test_content_of_a_failed_write_stays(opened: Open) -> None:
    """It is on no disk."""
    ctx = opened(window=8_192, policy="eager")
    step(ctx, "disk full", tool=WRITE[0], args=WRITE[1], error=True)
    assert json.loads(played(ctx, SMALL)[0].calls[0].arguments) == WRITE[1]


def test_files_over_the_part_rest_oldest_first(opened: Open) -> None:
    """Three files of 800 tokens are more than 2,000: the oldest rests on its page."""
    ctx = opened(window=8_192, policy="eager")
    large = ("fs:read_file", {"path": "a.py"}, LONG * 80)
    details = [one.detail for one in played(ctx, large, large, large)]
    assert details == [Detail.SNIPPED, Detail.FULL, Detail.FULL]


def test_steps_over_the_part_leave_oldest_first(opened: Open) -> None:
    """Where what was said is too long, the oldest step is a line, as if it were not recent."""
    ctx = opened(window=8_192, policy="eager")
    for _ in range(3):
        step(ctx, said=LONG * 85)
        ctx.turn()
    assert [one.id for one in standing(ctx)] == [2, 3]


def test_a_pin_stays_as_it_is(opened: Open) -> None:
    """A pinned step keeps its results, and no digest takes it."""
    ctx = opened(window=8_192, policy="eager")
    played(ctx, SMALL)
    step(ctx, LONG * 20, tool="system:shell", args={"command": "make"})
    ctx.pin("step_0002")
    for _ in range(60):
        played(ctx, SMALL)
    assert ctx.window.history.stream.totals.history < 2_500
    assert standing(ctx)[0].id == 2
    assert standing(ctx)[0].detail is Detail.FULL


STEPS = st.tuples(
    st.sampled_from(["web:search", "fs:read_file", "system:shell", "query", "fs:write_file"]),
    st.integers(0, 300),
    st.integers(0, 200),
    st.booleans(),
)


AFTER_A_RENEWAL = [  # it leaves a line among the last three steps
    ("web:search", 0, 0, False),
    ("web:search", 0, 0, False),
    ("query", 46, 0, False),
    ("query", 46, 11, False),
    ("fs:write_file", 26, 60, True),
    ("query", 88, 18, False),
    ("web:search", 20, 68, False),
]


DIGEST_OVER_ITS_PART = [  # of a renewal, then of a cut by auto
    ("web:search", 0, 0, False),
    ("system:shell", 0, 0, True),
    ("fs:write_file", 0, 90, False),
    ("fs:read_file", 46, 23, False),
    ("fs:write_file", 88, 107, False),
    ("system:shell", 112, 77, True),
    ("fs:write_file", 0, 0, True),
]


@settings(max_examples=40)
@example(AFTER_A_RENEWAL, 4_096)
@example(DIGEST_OVER_ITS_PART, 4_096)
@given(st.lists(STEPS, min_size=1, max_size=12), st.sampled_from([2_048, 4_096, 8_192, 16_000]))
def test_parts_hold_whatever_comes(made: list[tuple[str, int, int, bool]], window: int) -> None:
    """Recent steps and lines are within their parts after every turn; the newest step is whole, and
    after a renewal it may take more than its part."""
    with TemporaryDirectory() as folder, opening(Path(folder)) as opened:
        policy = loom.PRESETS["eager"]
        ctx = opened(window=window, policy=policy)
        room = ctx.window.limits.room
        for tool, lines, said, error in made:
            args = {"path": "a", "content": LONG * said} if tool == "fs:write_file" else {"q": "a"}
            step(ctx, lines, tool=tool, args=args, said=LONG * said, error=error)
            came = last_step(ctx)
            generation = ctx.window.sent.generation
            ctx.turn()
            entries = list(ctx.window.history.stream.entries)
            renewed = ctx.window.sent.generation > generation
            held = [one for one in standing(ctx) if not (renewed and one.id == came.id)]
            assert sum(one.tokens for one in held) <= round(room * 2_000 / 4_700)
            if not renewed:
                assert last_step(ctx) == came
                lines = sum(one.tokens for one in entries if is_lowered(one))
                assert lines <= round(room * 500 / 4_700)
