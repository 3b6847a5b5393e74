"""The context as a host drives it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from msgspec import json

import loom
from loom.engine.budget import BESIDE
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import calls


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A fresh context."""
    with loom.open(tmp_path / "w", goal="Fix it.", durable=False) as made:
        yield made


def test_results_of_a_step_share_what_is_free(tmp_path: Path) -> None:
    """However many and large the results of one step, each has its part of what is free."""
    with plain(tmp_path / "q", window=16_000) as ctx:
        ids = [f"c{number}" for number in range(9)]
        ctx.reply(calls(*ids))
        for id in ids:
            ctx.result(id, f"{id} and more of it\n" * 4_000)
        capacity = ctx.window.limits.capacity
        assert 0.25 * capacity < ctx.window.tokens.total <= capacity
        shown = [m["content"] for m in ctx.turn().request()["messages"] if m["role"] == "tool"]
        assert all(text.startswith(id) for id, text in zip(ids, shown, strict=True))
        assert max(map(len, shown)) < 1.5 * min(map(len, shown))


@all_cases(("seed", "window"), [(0, 16_000), (1, 8_192), (3, 8_192), (5, 32_000)])
def test_results_that_fit_a_fresh_window_are_shown_whole(
    tmp_path: Path, seed: int, window: int
) -> None:
    """In a long loop all that the calls of a step brought is in the next request, as it came in,
    wherever it fits beside what may not leave: older history gives way."""
    rng, whole, least = Random(seed), 0, 60
    with loom.open(tmp_path / f"{seed}", goal="Fix it.", window=window, durable=False) as ctx:
        for number in range(40):
            ctx.turn()
            ctx.reply(calls(*(ids := [f"c{number}_{n}" for n in range(rng.choice([1, 1, 2]))])))
            room = ctx._engine.room.free(ctx.window)
            given = {id: lines(rng, id, int(rng.random() ** 2 * window / 14)) for id in ids}
            need = sum(ctx._engine.sizes.count(text) + BESIDE for text in given.values()) + least
            for id, text in given.items():
                ctx.result(id, text)
            messages = [m for m in ctx.turn().request()["messages"] if m["role"] == "tool"]
            shown = {m["tool_call_id"]: m["content"] for m in messages}
            assert need > room or {id: shown[id] for id in ids} == given, (number, need, room)
            whole += need <= room
        assert 10 < whole < 40 and ctx.window.sent.cuts > 5


def lines(rng: Random, id: str, count: int) -> str:
    """So many lines, or rows of JSON, and one more, none like another."""
    if rng.random() < 0.3:
        return json.encode(
            [{"id": f"{id}-{n}", "at": rng.random()} for n in range(count + 1)]
        ).decode()
    return "".join(f"{id} line {n} took {rng.random():.3f} s\n" for n in range(count + 1))
