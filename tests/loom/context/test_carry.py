"""Carrying on from a snapshot: elsewhere, with another model or window, and from there again; each
field of C_working goes on."""

import shutil
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.session.archive.snapshot_document import Snapshot, parse_snapshot
from loom.session.snapshots import EARLIER_CHARS
from loom_partitions.working import Working
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

GOAL = "Make the login tests pass. " * 120
RULE = "Never touch migrations/."
PLAN = [("read the tests", "done"), ("mend the token refresh", "doing"), ("run them", "todo")]


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A session that read files until it was renewed; its last snapshot is of the renewal."""
    with plain(tmp_path / "w0", goal=GOAL, window=24_000) as ctx:
        ctx.working.plan(PLAN)
        ctx.events.signal("ci-1", "2 tests fail on main", kind="ci", urgency="high")
        ctx.user(f"Mend the tokens. {RULE}")
        for number in range(9):
            step(ctx, f"line of {number}\n" * 150, tool="Read", args={"path": f"src/f{number}.py"})
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech("All read."),)))
        ctx.renew(600)
    return tmp_path / "w0"


def newest(folder: Path) -> Path:
    """Return the last snapshot of a workspace."""
    return sorted((folder / "snapshots").iterdir())[-1]


def test_names_mean_one_thing(earlier: Path, tmp_path: Path) -> None:
    """Ids of entries and numbers of pages follow on; an earlier entry says where it stands."""
    made = parse_snapshot(newest(earlier).read_bytes())
    assert isinstance(made, Snapshot)
    with plain(tmp_path / "b", snapshot=newest(earlier), window=24_000) as ctx:
        assert ctx.window.history.next_id == made.next_id + 1
        with pytest.raises(loom.MissingPage, match="session this one carries on from"):
            ctx.page_in("step_0003")
        before = {page.name.partition("_")[2][:4] for page in made.pages}
        mine = ctx.history.restore(step(ctx, 300))
        fresh = set(ctx._engine.workspace.pager.table) - {page.name for page in made.pages}
        assert mine.name == f"step_{made.next_id + 1:04d}"
        assert not {name.partition("_")[2][:4] for name in fresh} & before


def test_a_page_that_is_damaged_is_left_out_and_named(earlier: Path, tmp_path: Path) -> None:
    """The others come; the lost one is told by name."""
    copy = tmp_path / "a"
    shutil.copytree(earlier, copy)
    page = next(path for path in sorted((copy / "outputs").iterdir()) if "read_" in path.name)
    page.write_text("other")
    with loom.open(tmp_path / "b", snapshot=newest(copy), window=24_000, durable=False) as ctx:
        said = str(ctx.turn().request("openai")["messages"])
        assert f"1 of its pages could not be read and are not here: outputs/{page.name}" in said
        with pytest.raises(loom.MissingPage):
            ctx.page_in(page.name)


def test_opened_again_it_resumes(earlier: Path, tmp_path: Path) -> None:
    """The same snapshot is a no-op, with or without what came in since; another is refused."""
    with plain(tmp_path / "b", snapshot=newest(earlier), window=24_000) as ctx:
        step(ctx, "ok")
        commits, sha256 = ctx._engine.workspace.commits, ctx.turn().sha256
    with plain(tmp_path / "b", snapshot=newest(earlier)) as ctx:
        assert ctx.turn().sha256 == sha256
        assert ctx._engine.workspace.commits == commits + 1
        ctx.renew()
    for place, what in (("b", "another snapshot"), ("c", "a history of its own")):
        if place == "c":
            plain(tmp_path / "c").close()
            with plain(tmp_path / "c") as ctx:
                ctx.user("hello")
        with pytest.raises(loom.LoomError, match=what):
            plain(tmp_path / place, snapshot=newest(tmp_path / "b"))


def test_an_opening_that_was_cut_short_is_made_again(earlier: Path, tmp_path: Path) -> None:
    """Nothing but the first record was written: the snapshot is carried on from, once."""
    plain(tmp_path / "b", window=24_000).close()
    with plain(tmp_path / "b", snapshot=newest(earlier)) as ctx:
        assert ctx.working.goal == GOAL


def test_one_of_an_earlier_loom_is_refused(earlier: Path, tmp_path: Path) -> None:
    """C_working alone: what to do is said."""
    made = parse_snapshot(newest(earlier).read_bytes())
    assert isinstance(made, Snapshot)
    bare = json.format(json.encode(made.working), indent=1)
    with pytest.raises(loom.BadInput, match="an earlier Loom wrote it"):
        plain(tmp_path / "b", snapshot=bare)


def observation(ctx: loom.Context) -> str:
    """Return what a context says of the session it carries on from."""
    messages = ctx.turn().request("openai")["messages"]
    return next(one["content"] for one in messages if "Carried on from" in str(one["content"]))


@all_cases("end", ["nothing", "renew", "finish", "busy"])
def test_names_stay_known_over_many_hops(earlier: Path, end: str) -> None:
    """The page of a file the first session read is named, and there, five sessions later."""
    for hop in range(1, 6):
        given = newest(earlier.parent / f"w{hop - 1}")
        with plain(earlier.parent / f"w{hop}", snapshot=given, window=24_000) as ctx:
            said = observation(ctx)
            assert "f3.py read_0" in said and RULE in said
            assert said.count("Of the sessions before that one") <= hop
            assert "line of 3\n" in ctx.page_in(said.partition("f3.py ")[2][:9]).text
            if end == "busy":
                for number in range(6):
                    text = f"{hop} {number}\n" * 150
                    step(ctx, text, tool="Read", args={"path": f"lib/g{hop}_{number}.py"})
            ctx.turn()
            if end == "finish":
                ctx.finish("done")
            else:
                ctx.renew(None if end == "nothing" else 600)
        made = parse_snapshot(newest(earlier.parent / f"w{hop}").read_bytes())
        assert isinstance(made, Snapshot) and 0 < len(made.earlier) <= EARLIER_CHARS
        assert not any("Carried on from" in entry.line for entry in made.standing)


def test_without_pages_no_place_is_named_that_has_none(earlier: Path, tmp_path: Path) -> None:
    """A file that was copied alone holds no pages: neither the window nor page_in sends there."""
    lone = tmp_path / "lone.json"
    shutil.copy(newest(earlier), lone)
    for number, given in enumerate((lone, lone.read_bytes())):
        with plain(tmp_path / f"b{number}", snapshot=given, window=24_000) as ctx:
            said = observation(ctx)
            assert "are not here" in said
            assert "lone.json" not in said and "snapshot=bytes" not in said
            with pytest.raises(loom.MissingPage, match="of the session this one carries on from"):
                ctx.page_in("read_0003")
            with pytest.raises(loom.MissingPage, match="use a name the window"):
                ctx.page_in("read_0999")


# Fields that do go on, of which two are texts on a page of their own.
TEXTS = {"goal", "scratchpad"}
SAME = {"progress", "plan", "events", "risks", "questions", "evidence", "errors", "interrupt",
        "decisions", "more"}  # fmt: skip
# Fields that do not go on, and why.
APART = {
    "depth": "an agent's place among others: tests/loom/capabilities/agents",
    "outcome": "a task that is carried on is not over",
    "children": "they work for the other session, and are told by name",
    "pad_pages": "the scratchpad is written anew: tests/loom/working/test_scratchpad.py",
    "pad_rest": "the scratchpad is written anew: tests/loom/working/test_scratchpad.py",
}


def test_every_field_is_named() -> None:
    """A field that comes to C_working has to be said to go on, or why it does not."""
    assert sorted([*SAME, *TEXTS, *APART]) == sorted(Working.__struct_fields__)


def carried(working: Working) -> dict[str, object]:
    """What is equal in both places."""
    held = {name: getattr(working, name) for name in SAME | TEXTS}
    return held | {name: held[name].body for name in TEXTS}


@pytest.mark.parametrize("end", ["renew", "finish"])
def test_each_field_goes_on(tmp_path: Path, end: str) -> None:
    """Filled surfaces stand in the other place as they stood, over two hops."""
    with plain(tmp_path / "w0", goal="Mend the tokens.", window=24_000) as ctx:
        ctx.working.progress("half")
        ctx.working.plan([("read", "done"), ("mend", "doing")])
        for number in range(12):
            ctx.working.ask(f"q{number}", f"which branch {number}?")
        ctx.working.evidence("clock", "it reads time.time()", ["a.py"], 0.9, facts=["so"])
        ctx.working.scratch("the clock")
        ctx.events.signal("ci-1", "2 tests fail", kind="ci", urgency="high")
        ctx.events.signal("disk", "nearly full")
        ctx.events.acknowledge("disk", "defer")
        step(ctx, "boom", error=True)
        ctx.turn()
        stood = ctx.window.working
        ctx.renew() if end == "renew" else ctx.finish("done")
    assert all(carried(stood)[name] for name in TEXTS | {"progress", "plan", "risks", "errors"})
    for hop in (1, 2):
        given = tmp_path / f"w{hop - 1}" / "snapshots" / "working_0001.json"
        with plain(tmp_path / f"w{hop}", snapshot=given, window=24_000) as ctx:
            assert carried(ctx.window.working) == carried(stood)
            ctx.turn()
            ctx.renew() if end == "renew" else ctx.finish("done")
