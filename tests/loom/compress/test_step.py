"""The recent steps of the eager layout: what stands in a line, what stays, what leaves."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

import loom
from loom_partitions.message import Detail, Step
from loom_partitions.stream import is_lowered
from tests.kit.opened import opening
from tests.kit.step import last_step, step

LONG = "a line of some result, of a few words\n"


def standing(ctx: loom.Context) -> list[Step]:
    """Steps that are still calls and results, oldest first."""
    steps = (one for one in ctx.window.history.stream.entries if isinstance(one, Step))
    return [one for one in steps if one.detail < Detail.REDUCED]


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
        ctx = opened(window=window, policy=loom.PRESETS["eager"])
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
