"""A provider's "too long", and what it makes of the next request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_partitions.records import Compressed, Renewed
from tests.kit.cases import all_cases
from tests.kit.journal import stored
from tests.kit.opened import plain
from tests.kit.step import step


class Refused(Exception):
    """What an SDK raises: a message, and perhaps a status and a code."""

    def __init__(self, message: str = "", status: int = 400, code: str = "") -> None:
        self.status_code = status
        self.code = code
        super().__init__(message)


TOO_LONG = Refused("Request Entity Too Large", 413)


def filled(path: Path, sizes: list[int], **given: Any) -> loom.Context:
    """A context with a step of each size, whose request was just made."""
    ctx = loom.open(path, **{"window": 64_000, "durable": False, **given})
    ctx.user("Find the fault.")
    for size in sizes:
        ctx.turn()
        step(ctx, size)
    ctx.turn()
    return ctx


def test_another_error_is_raised_again(tmp_path: Path) -> None:
    """The same object, and nothing is recorded."""
    with filled(tmp_path, [50]) as ctx:
        before, error = stored(tmp_path), ValueError("boom")
        with pytest.raises(ValueError, match="boom") as caught:
            ctx.overflowed(error)
        assert caught.value is error
        assert stored(tmp_path) == before


SHAPES: list[Any] = [
    pytest.param([250] * 12, id="many steps"),
    pytest.param([400] * 6, id="some steps"),
    pytest.param([10, 400, 400, 400], id="only recent steps are large"),
    pytest.param([600, 600, 600], id="recent steps alone"),
    pytest.param([800], id="one step"),
    pytest.param([5] * 40 + [500], id="many small ones and a large one"),
]


@all_cases("sizes", SHAPES)
@all_cases("preset", ["lazy", "eager"])
def test_the_next_request_is_a_fifth_smaller(tmp_path: Path, sizes: list[int], preset: str) -> None:
    """Whatever stands in the window: the reactive level, or a renewal when it frees too little."""
    with filled(tmp_path, sizes, policy=preset) as ctx:
        refused, request = ctx.window.tokens.total, str(ctx.turn().request())
        cuts = ctx.window.sent.cuts
        ctx.overflowed(TOO_LONG)
        turn = ctx.turn()
        assert turn.pressure.tokens.total <= 0.8 * refused
        assert len(str(turn.request())) < len(request)
        assert ctx.window.sent.cuts == cuts + 1


def test_a_long_message_of_the_user_shrinks_too(tmp_path: Path) -> None:
    """A request that is one large message is not refused for good."""
    with plain(tmp_path, window=32_000) as ctx:
        ctx.user("".join(f"requirement {n}\n" for n in range(900)))
        refused = ctx.turn().pressure.tokens.total
        ctx.overflowed(TOO_LONG)
        assert ctx.turn().pressure.tokens.total <= 0.8 * refused


@pytest.mark.parametrize(
    ("said", "window"),
    [("maximum context length is 8,192 tokens", 8_192), ("prompt is too long", 64_000)],
)
def test_a_stated_limit_becomes_the_window(tmp_path: Path, said: str, window: int) -> None:
    """The next request fits what the provider said, after a reopen as well."""
    with filled(tmp_path, [250] * 12) as ctx:
        ctx.overflowed(Refused(said))
        assert ctx.window.limits.window == window
        turn = ctx.turn()
        assert turn.pressure.rho <= 1.0
        assert turn.pressure.tokens.total < window
    with loom.open(tmp_path, durable=False) as ctx:
        assert ctx.turn().sha256 == turn.sha256


@pytest.mark.parametrize("sizes", [[250] * 12, [600] * 3], ids=["reactive", "renewal"])
def test_one_commit(tmp_path: Path, sizes: list[int]) -> None:
    """What the provider said and what was done about it are recorded together."""
    with filled(tmp_path, sizes) as ctx:
        workspace = ctx._engine.workspace
        before = workspace.commits
        ctx.overflowed(TOO_LONG)
        assert workspace.commits == before + 1
        names = [type(record).__name__ for record in workspace.records(before + 1)]
        assert names[0] == "Overflowed"
        assert names[-1] in {"Compressed", "Renewed"}


@all_cases("sizes", [[250] * 12, [600] * 3], ids=["reactive", "renewal"])
@all_cases("error", [TOO_LONG, Refused("maximum context length is 9000 tokens")])
def test_refused_by_the_host_nothing_is_recorded(
    tmp_path: Path, sizes: list[int], error: Exception
) -> None:
    """When on_cut refuses every cut, limits, window and journal stay as they were."""
    allowed = True

    def on_cut(cut: Compressed | Renewed) -> bool:
        return allowed

    with filled(tmp_path, sizes, on_cut=on_cut) as ctx:
        before, window, sha256 = stored(tmp_path), ctx.window, ctx.turn().sha256
        allowed = False
        with pytest.raises(loom.Vetoed):
            ctx.overflowed(error)
        assert stored(tmp_path) == before
        assert ctx.window is window
        assert ctx.turn().sha256 == sha256
        allowed = True
        ctx.overflowed(error)
        assert ctx.turn().sha256 != sha256


def test_a_second_refusal_of_one_request(tmp_path: Path) -> None:
    """The compressed request refused too: OverCapacity, and what to do about it."""
    with filled(tmp_path, [250] * 12) as ctx:
        ctx.overflowed(TOO_LONG)
        ctx.turn()
        with pytest.raises(loom.OverCapacity, match="resize"):
            ctx.overflowed(TOO_LONG)


def answered(ctx: loom.Context) -> None:
    """The model answers with a call, and its result comes in."""
    step(ctx, 100)


MORE: list[tuple[str, Callable[[loom.Context], object]]] = [
    ("words of the user", lambda ctx: ctx.user("more")),
    ("a result", answered),
    ("a resize", lambda ctx: ctx.resize(60_000)),
]


@pytest.mark.parametrize(("name", "give"), MORE, ids=[name for name, _ in MORE])
def test_a_new_request_may_be_refused_again(
    tmp_path: Path, name: str, give: Callable[[loom.Context], object]
) -> None:
    """Once per request: after something came in, the next refusal makes it smaller again."""
    with filled(tmp_path, [250] * 12) as ctx:
        for _ in range(3):
            ctx.overflowed(TOO_LONG)
            smaller = ctx.turn().pressure.tokens.total
            give(ctx)
            ahead = ctx.window.config.policy["ahead_tokens"]  # a larger window may show more again
            assert ctx.turn().pressure.tokens.total <= smaller + 2_000 + ahead * (
                name == "a resize"
            )


def test_a_renewal_after_a_refusal_ends_the_segment(tmp_path: Path) -> None:
    """As every renewal it starts a segment of the journal; the reactive level does not."""
    with filled(tmp_path / "a", [250] * 12) as ctx:
        ctx.overflowed(TOO_LONG)
        assert (ctx.window.sent.generation, len(ctx._engine.workspace.journal.segments)) == (1, 1)
    with filled(tmp_path / "b", [1_200]) as ctx:
        ctx.overflowed(TOO_LONG)
        assert (ctx.window.sent.generation, len(ctx._engine.workspace.journal.segments)) == (2, 2)
        sha256 = ctx.turn().sha256
    with loom.open(tmp_path / "b", durable=False) as ctx:
        assert ctx.turn().sha256 == sha256
