"""Carrying on from what carries on: names stay known, the user's words stay the user's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import loom
from loom.engine.snapshots.document import Snapshot, read
from loom.engine.snapshots.earlier import EARLIER_CHARS
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

RULE = "Never touch migrations/."


def newest(folder: Path) -> Path:
    """Return the last snapshot of a workspace."""
    return sorted((folder / "snapshots").iterdir())[-1]


def observation(ctx: loom.Context) -> str:
    """Return what a context says of the session it carries on from."""
    messages = ctx.turn().request("openai")["messages"]
    return next(one["content"] for one in messages if "Carried on from" in str(one["content"]))


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A session that read files until it was renewed."""
    with plain(tmp_path / "w0", goal="Mend it.", window=24_000) as ctx:
        ctx.user(f"Mend the tokens. {RULE}")
        for number in range(9):
            step(ctx, f"line of {number}\n" * 150, tool="Read", args={"path": f"src/f{number}.py"})
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech("All read."),)))
        ctx.renew(600)
    return tmp_path / "w0"


@all_cases("end", ["nothing", "renew", "finish", "busy"])
def test_names_stay_known_over_many_hops(first: Path, end: str) -> None:
    """The page of a file the first session read is named, and there, five sessions later."""
    for hop in range(1, 6):
        given = newest(first.parent / f"w{hop - 1}")
        with plain(first.parent / f"w{hop}", snapshot=given, window=24_000) as ctx:
            said = observation(ctx)
            assert "f3.py read_0" in said and RULE in said
            assert said.count("Of the sessions before that one") <= hop
            name = said.partition("f3.py ")[2][:9]
            assert "line of 3\n" in ctx.page_in(name).text
            if end == "busy":
                for number in range(6):
                    text = f"{hop} {number}\n" * 150
                    step(ctx, text, tool="Read", args={"path": f"lib/g{hop}_{number}.py"})
            ctx.turn()
            if end == "finish":
                ctx.finish("done")
            else:
                ctx.renew(None if end == "nothing" else 600)
        made = read(newest(first.parent / f"w{hop}").read_bytes())
        assert isinstance(made, Snapshot) and 0 < len(made.earlier) <= EARLIER_CHARS
        assert not any("Carried on from" in entry.line for entry in made.standing)


def test_without_pages_no_place_is_named_that_has_none(first: Path, tmp_path: Path) -> None:
    """A file that was copied alone holds no pages: neither the window nor page_in sends there."""
    lone = tmp_path / "lone.json"
    shutil.copy(newest(first), lone)
    for number, given in enumerate((lone, lone.read_bytes())):
        with plain(tmp_path / f"b{number}", snapshot=given, window=24_000) as ctx:
            said = observation(ctx)
            assert "are not here" in said
            assert "lone.json" not in said and "snapshot=bytes" not in said
            with pytest.raises(loom.MissingPage, match="of the session this one carries on from"):
                ctx.page_in("read_0003")
            with pytest.raises(loom.MissingPage, match="use a name the window"):
                ctx.page_in("read_0999")
