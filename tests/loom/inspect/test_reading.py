"""`loom.read`: what a workspace holds and cost, beside the process that writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.cli import main
from tests.kit.opened import plain
from tests.kit.step import step


def test_it_reads_beside_the_writer(tmp_path: Path) -> None:
    """The window, a request, a page, a passage; what comes in later is another reading's."""
    with plain(tmp_path / "w", window=4_000, model="gpt-5") as ctx:
        ctx.user("Mend the parser.")
        for _ in range(8):
            step(ctx, 40)
            turn = ctx.turn()
        found = loom.read(tmp_path / "w")
        assert found.window == ctx.window and found.pressure == ctx.pressure
        assert repr(found).startswith(f"<loom.read turn {turn.number}: ")
        assert found.turn().request("openai") == turn.request("openai")
        assert found.turn(1).number == 1
        assert found.page_in("user_0001").text == "Mend the parser."
        assert "Mend the parser." in found.recall("parser")
        name = ctx.user("Now the lexer.")
        assert found.recall("lexer") == "nothing holds lexer"
        assert loom.read(tmp_path / "w").page_in(name).text == "Now the lexer."


def test_usage_is_what_stat_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The totals of `loom stat`, and in dollars the replies beside them."""
    with plain(tmp_path / "w", window=4_000, model="gpt-5") as ctx:
        for _ in range(8):
            step(ctx, 40)
            ctx.turn()
    usage = loom.read(tmp_path / "w").usage
    assert main(["stat", str(tmp_path / "w"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (usage.requests, usage.sent, usage.largest) == (
        told["requests"], told["sent"], told["largest"],
    )  # fmt: skip
    assert 0 < usage.cached < usage.sent and usage.replied
    bound = 1e-6 + 1e-12  # both are rounded to six digits
    assert usage.dollars == pytest.approx(told["cost"] + 10 * usage.replied / 1e6, abs=bound)


def test_nothing_is_written(tmp_path: Path) -> None:
    """No file is made or changed, and no lock is taken."""
    with plain(tmp_path / "w") as ctx:
        ctx.user("Mend the parser.")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    found = loom.read(tmp_path / "w")
    assert found.usage.requests == 0 and found.recall("parser")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_where_nothing_is(tmp_path: Path) -> None:
    """A folder without a workspace, and a store that holds nothing yet."""
    with pytest.raises(FileNotFoundError, match="is no workspace"):
        loom.read(tmp_path / "none")
    with pytest.raises(loom.BadInput, match="holds nothing yet"):
        loom.read("memory://nothing/here")


@pytest.mark.parametrize("given", [3, None, b"x"])
def test_what_is_no_path_and_no_store_is_refused(given: Any) -> None:
    """As `loom.open` refuses it: by BadInput."""
    with pytest.raises(loom.errors.BadInput):
        loom.read(given)
