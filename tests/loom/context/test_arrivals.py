"""Calls whose results do not come, come late, or come to another life of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.providers.formats import FORMATS
from loom.providers.formats.laws import broken
from tests.kit.opened import plain
from tests.kit.step import calls


def unlawful(turn: loom.Turn) -> list[str]:
    """What any provider would refuse of a request."""
    return [
        f"{format}: {what}"
        for format in FORMATS
        for what in broken(format, turn.request(format, model="m"))
    ]


@pytest.fixture
def ctx(folder: Path) -> Iterator[loom.Context]:
    """Three parallel calls, the middle one answered."""
    with plain(folder, window=8_000) as made:
        made.system("be careful")
        made.user("go on")
        made.turn()
        made.reply(calls("a", "b", "c"))
        made.result("b", "done well")
        yield made


def test_late_results_in_any_order(ctx: loom.Context) -> None:
    """Both late results land, last call first, and each only once."""
    ctx.abandon("asleep")
    ctx.result("c", "of c")
    ctx.result("a", "of a")
    assert [ctx.history.restore(id).text.split("\n")[-1] for id in (3, 4)] == ["of c", "of a"]
    assert unlawful(ctx.turn()) == []
    for id in "abc":
        with pytest.raises(loom.AnsweredCall, match=f"'{id}'"):
            ctx.result(id, "again")
    with pytest.raises(loom.UnknownCall, match="'d'"):
        ctx.result("d", "never made")


def test_words_of_the_user_between_the_lives(ctx: loom.Context, folder: Path) -> None:
    """A message before the first turn of the next life comes after the results given up; what that
    life calls is waited for."""
    ctx.close()
    with plain(folder) as again:
        again.user("are you there?")
        turn = again.turn()
        assert unlawful(turn) == []
        text = str(turn.request("openai")["messages"])
        assert text.index("done well") < text.index("are you there?")
        again.reply(calls("d"))
        with pytest.raises(loom.OpenCalls):
            again.turn()
