"""A renewal the host asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom_partitions import laws
from tests.kit.opened import plain
from tests.kit.step import step

OUTPUT = "".join(f"line {n} of an ordinary output\n" for n in range(60))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 60)), min_size=1, max_size=9),
    st.lists(st.integers(200, 3_000), min_size=1, max_size=3),
)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_any_session(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, int]], asked: list[int]
) -> None:
    """Whatever came in, each renewal keeps its number, is lawful, and loses nothing."""
    folder = tmp_path_factory.mktemp("renew")
    with plain(folder / "w", window=16_000) as ctx:
        said: dict[int, str] = {}
        for history in asked:
            for kind, lines in acts:
                id = ctx.window.history.next_id
                line = f"{kind} of {id}" + (" 修复登录模块 x9Kq2" if kind == 3 else "\n")
                text = line * lines
                if kind == 0:
                    ctx.user(text)
                elif kind == 1:
                    ctx.reply(text)
                else:
                    step(ctx, text * kind)
                said[id] = text * max(kind, 1)
            ctx.renew(history)
            assert ctx.window.tokens.history <= history
            assert [*laws.ordered(ctx.window), *laws.paired(ctx.window)] == []
            assert ctx.turn().pressure.rho <= 1.0
        for id, text in said.items():
            whole = ctx.history.restore(id)
            spoken = [p.text for p in whole.reply.parts if isinstance(p, loom.Speech)] \
                if whole.reply else []  # fmt: skip
            assert text in (whole.text, *whole.results.values(), *spoken)


def test_a_refusal_leaves_all_as_it_was(tmp_path: Path) -> None:
    """While a result is missing, for what is no whole number, and where `on_cut` says no."""
    with plain(tmp_path / "w", window=32_000, on_cut=lambda made: False) as ctx:
        step(ctx, OUTPUT)
        ctx.reply(loom.Reply((loom.ToolCall("open", "Bash", "{}"),)))
        before = ctx.window
        with pytest.raises(loom.OpenCalls):
            ctx.renew(500)
        assert ctx.window == before
        ctx.result("open", "ok")
        before = ctx.window
        for history in ("many", 1.5):
            with pytest.raises(loom.LoomError, match="whole number of tokens"):
                ctx.renew(history)  # type: ignore[arg-type]
        with pytest.raises(loom.Vetoed):
            ctx.renew(500)
        assert ctx.window == before
