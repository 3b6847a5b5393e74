"""The request after a renewal that a host asked for is as large as it was asked to be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom_partitions.message import Step, UserTurn
from tests.kit.opened import plain
from tests.kit.step import act


def source(number: int, lines: int) -> str:
    """A file of its own."""
    return "".join(f"value_{number}_{n} = compute_{n}({number})\n" for n in range(lines))


def filled(ctx: loom.Context, sizes: list[int]) -> None:
    """Files that are read, and at the end a step that names them all."""
    for number, lines in enumerate(sizes):
        act(ctx, "Read", {"path": f"src/part_{number}.py"}, source(number, lines))
    named = " ".join(f"src/part_{number}.py" for number in range(len(sizes)))
    act(ctx, "Bash", {"command": f"wc {named}"}, "ok")


def ahead(ctx: loom.Context) -> int:
    """How many texts were read ahead and stand in the window."""
    entries = list(ctx.window.history.stream.entries)
    alone = sum(isinstance(entry, UserTurn) and entry.source != "" for entry in entries)
    return alone + sum(len(entry.beside) for entry in entries if isinstance(entry, Step))


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with ten files in its history."""
    with plain(tmp_path / "w", window=32_000) as made:
        filled(made, [60] * 10)
        yield made


@given(
    st.lists(st.integers(1, 120), min_size=1, max_size=10),
    st.lists(st.integers(300, 8_000), min_size=1, max_size=3),
)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_whatever_came_in(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], asked: list[int]
) -> None:
    """Renewal after renewal, each request keeps to the number of its renewal."""
    folder = tmp_path_factory.mktemp("fresh")
    with plain(folder / "w", window=32_000) as ctx:
        for history in asked:
            filled(ctx, sizes)
            ctx.turn()
            ctx.renew(history=history)
            ctx.turn()
            assert ctx.window.tokens.history <= history


def test_a_renewal_that_nobody_asked_for_binds_nothing(tmp_path: Path) -> None:
    """A window that was renewed because it was full is not fresh once its request is made."""
    with plain(tmp_path / "w", window=8_000) as ctx:
        filled(ctx, [60] * 12)
        assert ctx.pressure.rho >= 1.0
        assert not ctx.window.sent.fresh
        ctx.turn()
        assert ctx.window.sent.generation == 2
        assert not ctx.window.sent.fresh
        act(ctx, "Bash", {"command": "wc src/part_3.py src/part_4.py"}, "ok")
        ctx.turn()
        assert ahead(ctx) > 0


def test_a_window_opened_again_is_still_fresh(tmp_path: Path) -> None:
    """A renewal binds the next request, whichever process makes it."""
    folder = tmp_path / "w"
    with plain(folder, window=32_000) as ctx:
        filled(ctx, [60] * 10)
        ctx.renew(history=1_500)
    with plain(folder) as ctx:
        assert ctx.window.sent.fresh
        ctx.turn()
        assert ctx.window.tokens.history <= 1_500
        assert ahead(ctx) == 0
