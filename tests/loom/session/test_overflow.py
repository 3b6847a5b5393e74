"""A provider's "too long", and what it makes of the next request."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_partitions.records import Compressed, Renewed
from tests.kit.cases import all_cases
from tests.kit.journal import stored
from tests.kit.standins import TooLong
from tests.kit.step import step

TOO_LONG = TooLong("Request Entity Too Large")


def filled(path: Path, sizes: list[int], **given: Any) -> loom.Context:
    """A context with a step of each size, whose request was just made."""
    ctx = loom.open(path, **{"window": 64_000, "durable": False, **given})
    ctx.user("Find the fault.")
    for size in sizes:
        ctx.turn()
        step(ctx, size)
    ctx.turn()
    return ctx


@all_cases("sizes", [[250] * 12, [600] * 3], ids=["reactive", "renewal"])
@all_cases("error", [TOO_LONG, TooLong("maximum context length is 9000 tokens", 400)])
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
        with pytest.raises(loom.BadInput, match="on_cut refused"):
            ctx.overflowed(error)
        assert stored(tmp_path) == before
        assert ctx.window is window
        assert ctx.turn().sha256 == sha256
        allowed = True
        ctx.overflowed(error)
        assert ctx.turn().sha256 != sha256


MORE: dict[str, Callable[[loom.Context], object]] = {
    "words of the user": lambda ctx: ctx.user("more"),
    "a result": lambda ctx: step(ctx, 100),
    "a resize": lambda ctx: ctx.resize(60_000),
}


@pytest.mark.parametrize("name", MORE)
def test_a_new_request_may_be_refused_again(tmp_path: Path, name: str) -> None:
    """Once per request: after something came in, the next refusal makes it smaller again."""
    with filled(tmp_path, [250] * 12) as ctx:
        for _ in range(3):
            ctx.overflowed(TOO_LONG)
            smaller = ctx.turn().pressure.tokens.total
            MORE[name](ctx)
            tuning = ctx.window.config.policy["tuning"]
            ahead = tuning["ahead_tokens"]  # a larger window may show more again
            assert ctx.turn().pressure.tokens.total <= smaller + 2_000 + ahead * (
                name == "a resize"
            )
