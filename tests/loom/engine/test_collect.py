"""Garbage collection: what is needed stays, what goes is told, and the files follow the record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.cli import main
from loom.engine.archive.collecting import TYPED, YOUNG
from loom.retention import DAY, HOUR, LASTING, TTL
from loom_partitions.records import Promoted, Retired
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with
from tests.kit.step import own, step

# What a digest shows keeps a page: here it shows none.
TERSE = loom.Policy(index_tokens=0, index_share=0.0, digest_tokens=0, digest_share=0.0)
opened = opened_with(window=8_192, policy=TERSE)
NOW = loom.Retention(default=0, horizon=0, ttl=dict.fromkeys(TTL, 0))
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000040000000300800000000842023c3"
    "0000001a49444154789cedc18100000000c3a0f9535fe008550100007c030c3000"
    "01149b30d90000000049454e44ae426082"
)


def names(found: loom.CollectedPages) -> list[str]:
    """The short names of the pages that go."""
    return [page.name.partition("/")[2].partition(".")[0] for page in found.gone]


def stays(found: loom.CollectedPages, kind: str) -> dict[str, int]:
    """How many pages of a kind stay, by why."""
    return {kept.why: kept.pages for kept in found.kept if kept.kind == kind}


def clocked(ctx: loom.Context, at: int = 0) -> Callable[[float], None]:
    """A clock for a workspace: returns what moves it on by seconds."""
    time = [at or 1_700_000_000_000]
    ctx._engine.workspace.clock = lambda: time[0]

    def later(seconds: float) -> None:
        time[0] += round(seconds * 1_000)

    return later


def read(ctx: loom.Context, many: int, lines: int = 60) -> None:
    """Files that were read, each with a page, and a step that a renewal may leave standing."""
    for number in range(many):
        step(ctx, lines, tool="Read", args={"path": f"f{number}.py"})
    step(ctx)


def left(ctx: loom.Context, many: int = 4) -> None:
    """Files that were read and are in no window any more."""
    read(ctx, many)
    ctx.renew(0)


def outputs(folder: Path) -> set[str]:
    """The pages that lie in a workspace."""
    return {path.name.partition(".")[0] for path in (folder / "outputs").glob("*_*")}


def retired(ctx: loom.Context) -> list[Retired]:
    """The records of pages that went."""
    workspace = ctx._engine.workspace
    every = (one for n in range(1, workspace.commits + 1) for one in workspace.records(n))
    return [one for one in every if isinstance(one, Retired)]


def test_nothing_to_collect(opened: Open) -> None:
    """A new session: nothing goes, nothing is committed."""
    ctx = opened()
    commits = ctx._engine.workspace.commits
    found = ctx.history.gc(apply=True)
    assert (found.gone, found.freed, found.over, found.applied) == ((), 0, 0, True)
    assert ctx._engine.workspace.commits == commits


def test_without_apply_nothing_is_changed(opened: Open, tmp_path: Path) -> None:
    """A dry run says what would go."""
    ctx = opened()
    left(ctx)
    commits, before = ctx._engine.workspace.commits, outputs(tmp_path / "w")
    found = ctx.history.gc(NOW)
    assert names(found) == ["read_0001", "read_0002", "read_0003", "read_0004"]
    assert not found.applied and ctx._engine.workspace.commits == commits
    ctx.user("On.")
    assert outputs(tmp_path / "w") == before


def test_what_goes_is_expired_and_its_files_follow(opened: Open, tmp_path: Path) -> None:
    """One commit retires it; the next call has the disk get back what was promised."""
    ctx = opened()
    left(ctx)
    lies = sum(path.stat().st_size for path in (tmp_path / "w/outputs").iterdir())
    found = ctx.history.gc(NOW, apply=True)
    assert [(one.why, one.freed) for one in retired(ctx)] == [("expired", found.freed)]
    assert not ctx.history.gc(NOW).gone
    ctx.user("On.")
    assert lies - found.freed == sum(
        path.stat().st_size for path in (tmp_path / "w/outputs").iterdir()
    )
    with pytest.raises(loom.Expired):
        ctx.page_in("read_0001")


def test_pages_of_the_window_stay(opened: Open) -> None:
    """Named by an entry, a note or a message, in full or in short, or pinned: it stays."""
    ctx = opened()
    read(ctx, 6)
    ctx.pin("Look at read_0002 first.")
    ctx.renew(0)
    ctx.working.note("see outputs/read_0003.txt")
    ctx.working.evidence("e1", "it is little endian", citations=["outputs/read_0004.txt"])
    ctx.user("What does read_0001 say?")
    read(ctx, 1, 61)
    found = ctx.history.gc(NOW)
    assert names(found) == ["read_0005", "read_0006"]
    assert stays(found, "read") == {"the window": 5}
    ctx.turn()
    assert names(ctx.history.gc(NOW)) == names(found)


def test_what_found_no_room_on_a_surface_counts(opened: Open) -> None:
    """Evidence behind what the dashboard shows keeps the pages it cites."""
    ctx = opened()
    left(ctx, 2)
    for number in range(40):
        cited = ["outputs/read_0001.txt"] if not number else []
        ctx.working.evidence(f"e{number}", f"fact {number}", citations=cited)
    assert ctx.window.working.beyond("evidence")
    assert names(ctx.history.gc(NOW)) == ["read_0002"]


def test_the_horizon_of_undo_stays(opened: Open) -> None:
    """The last requests can be gone back to with all they need, and no earlier one."""
    ctx = opened()
    read(ctx, 3)
    ctx.turn()
    ctx.renew(0)
    for _ in range(3):
        ctx.turn()
        ctx.user("On.")
    for horizon, kept in ((0, {}), (3, {}), (4, {"undo": 3}), (99, {"undo": 3})):
        found = ctx.history.gc(replace(NOW, horizon=horizon))
        assert stays(found, "read") == kept, horizon
    ctx.history.gc(replace(NOW, horizon=4), apply=True)
    ctx.history.undo(to=1)
    assert "retired" not in str(ctx.turn().messages)


def test_going_back_beyond_it_shows_stand_ins(opened: Open, tmp_path: Path) -> None:
    """It still works: the request says what is retired; opened again it says the same."""
    ctx = opened()
    read(ctx, 3)
    ctx.turn()
    ctx.renew(0)
    ctx.turn()
    ctx.history.gc(NOW, apply=True)
    ctx.history.undo(to=1)
    said = ctx.turn()
    assert "read_0001.txt" in str(said.messages) and "is retired" in str(said.messages)
    with ctx.agents.fork("past", at=1) as past:
        assert "is retired" in str(past.turn().messages)
    ctx.close()
    assert opened().turn().messages == said.messages
    assert main(["check", str(tmp_path / "w")]) == 0


def test_ages_are_of_the_last_use(opened: Open) -> None:
    """A page that was brought in again is as young as that; each kind has its own time."""
    ctx = opened()
    later = clocked(ctx)
    step(ctx, 60, args={"command": "make"})
    read(ctx, 2)
    ctx.renew(0)
    rule = loom.Retention(horizon=0)
    later(HOUR - 1)
    assert not ctx.history.gc(rule).gone
    later(1)
    assert names(ctx.history.gc(rule)) == ["shell_0001"]
    own(ctx, "page_in", {"ref": "step_0003", "lines": "1-2"})
    step(ctx)
    ctx.renew(0)
    later(DAY - HOUR)
    found = ctx.history.gc(rule)
    assert names(found) == ["shell_0001", "read_0002"] and stays(found, "read") == {YOUNG: 1}
    rule = loom.Retention(horizon=0, ttl={"shell": None, "read": HOUR})
    assert names(ctx.history.gc(rule)) == ["read_0002", "read_0003"]


def test_an_entry_that_was_asked_for_keeps_its_pages_young(opened: Open) -> None:
    """By whatever name something was brought back, its pages were of use."""
    ctx = opened()
    later = clocked(ctx)
    left(ctx, 2)
    later(DAY)
    own(ctx, "page_in", {"ref": "step_0001", "lines": "1-2"})
    step(ctx)
    ctx.renew(0)
    assert names(ctx.history.gc(loom.Retention(horizon=0))) == ["read_0002"]


def test_what_was_given_or_written_has_no_time(opened: Open) -> None:
    """Messages, attachments of the user, long answers and digests are never let go."""
    ctx = opened()
    later = clocked(ctx)
    ctx.user("a long message of the user\n" * 90)
    ctx.user([{"type": "text", "text": "see"}, PNG])
    ctx.reply(loom.Reply((loom.Speech("a long answer\n" * 900),)))
    ctx.user("On.")
    read(ctx, 3)
    ctx.renew(0)
    ctx.renew(0)
    later(99 * DAY)
    found = ctx.history.gc(replace(NOW, quota=0))
    assert {page.kind for page in found.gone} == {"read"}
    held = {kept.kind for kept in found.kept if kept.why == TYPED}
    assert held >= {"message", "image"} and found.over == found.bytes > 0
    assert {"message", "reply", "digest"} <= LASTING


def test_over_the_quota_the_longest_unused_go_first(opened: Open) -> None:
    """However young; no more of them than it takes, and none that brings nothing."""
    ctx = opened()
    left(ctx, 6)
    own(ctx, "page_in", {"ref": "step_0001", "lines": "1-2"})
    step(ctx)
    ctx.renew(0)
    every = ctx.history.gc(replace(NOW, quota=0))
    size = every.gone[0].bytes
    rule = loom.Retention(horizon=0, quota=every.bytes + every.freed - 2 * size + 9)
    found = ctx.history.gc(rule)
    assert names(found) == ["read_0002", "read_0003"]
    assert {page.why for page in found.gone} == {"quota"} and not found.over
    assert names(ctx.history.gc(replace(rule, quota=1)))[-1] == "read_0001"


def test_equal_bytes_are_freed_with_their_last_name(opened: Open, tmp_path: Path) -> None:
    """A name whose bytes another page needs goes with its time, and frees nothing."""
    ctx = opened()
    same = "the same line of a file\n" * 90
    for number in range(3):
        step(ctx, same, tool="Read", args={"path": f"f{number}.py"})
    step(ctx)
    ctx.renew(0)
    ctx.user("Mind read_0003.")
    found = ctx.history.gc(NOW, apply=True)
    assert (names(found), found.freed) == (["read_0001", "read_0002"], 0)
    assert not ctx.history.gc(replace(NOW, default=DAY, ttl={}, quota=0)).gone
    ctx.user("On.")
    assert outputs(tmp_path / "w") >= {"read_0003"}
    assert ctx.page_in("read_0003").text == same


def test_promoted_pages_stay(opened: Open) -> None:
    """By a page's name or an entry's, once and for all; also after it is opened again."""
    ctx = opened()
    left(ctx)
    for ref in ("read_0001", "outputs/read_0001.txt", "step_0002", "step_0002"):
        ctx.history.promote(ref)
    workspace = ctx._engine.workspace
    every = (one for n in range(1, workspace.commits + 1) for one in workspace.records(n))
    assert [one.pages for one in every if isinstance(one, Promoted)] == [
        ("outputs/read_0001.txt",),
        ("outputs/read_0002.txt",),
    ]
    for again in (False, True):
        found = (opened() if again else ctx).history.gc(NOW)
        assert names(found) == ["read_0003", "read_0004"]
        assert stays(found, "read") == {"promoted": 2}


def test_what_is_gone_cannot_be_promoted(opened: Open) -> None:
    """Nor what never was: each says so, and nothing is committed."""
    ctx = opened()
    left(ctx)
    ctx.history.gc(NOW, apply=True)
    commits = ctx._engine.workspace.commits
    for ref, error in (
        ("read_0001", loom.Expired),
        ("step_0001", loom.Expired),
        ("read_0099", loom.MissingPage),
        ("step_0099", loom.UnknownEntry),
    ):
        with pytest.raises(error):
            ctx.history.promote(ref)
    assert ctx._engine.workspace.commits == commits


def test_a_policy_collects_at_renewals(opened: Open, tmp_path: Path) -> None:
    """Only then; it is said anew at each opening."""
    policy = replace(TERSE, retention=NOW)
    ctx = opened(policy=policy)
    read(ctx, 4)
    ctx.turn()
    assert not retired(ctx)
    ctx.renew(0)
    assert [len(one.pages) for one in retired(ctx)] == [4]
    assert "retention" not in ctx.window.config.policy
    ctx = opened(policy=TERSE)
    read(ctx, 2, 61)
    ctx.renew(0)
    assert len(retired(ctx)) == 1 and ctx.history.gc(NOW).gone
    ctx = opened(policy=policy)
    ctx.renew(0)
    assert len(retired(ctx)) == 2
    ctx.close()
    assert main(["check", str(tmp_path / "w")]) == 0


@all_cases(
    "odd",
    [
        {"default": -1},
        {"default": True},
        {"ttl": {"shell": float("nan")}},
        {"ttl": {"message": 60}},
        {"ttl": [1]},
        {"ttl": {1: 60}},
        {"horizon": -1},
        {"horizon": 2.5},
        {"quota": -1},
        {"quota": "much"},
    ],
)
def test_odd_retentions_are_refused(opened: Open, tmp_path: Path, odd: dict[str, Any]) -> None:
    """When they are made, and for a call and a policy that are given the figures alone."""
    with pytest.raises(loom.LoomError, match=next(iter(odd))):
        loom.Retention(**odd)
    ctx = opened()
    with pytest.raises(loom.LoomError):
        ctx.history.gc(odd)  # type: ignore[arg-type]
    with pytest.raises(loom.LoomError):
        loom.open(tmp_path / "other", policy=loom.Policy(retention=odd))  # type: ignore[arg-type]
    assert not (tmp_path / "other").exists()


def test_a_retention_changed_since_is_looked_at_again(opened: Open) -> None:
    """Its times are a dictionary, which whoever made it still has."""
    rule = loom.Retention(ttl={"shell": 60})
    rule.ttl["shell"] = -1
    with pytest.raises(loom.LoomError, match="ttl of shell: -1"):
        opened().history.gc(rule, apply=True)


def test_children_keep_what_they_were_given(opened: Open) -> None:
    """While an agent is at work, the pages it was granted stay; then those of its spawn alone."""
    ctx = opened()
    left(ctx, 2)
    child = ctx.agents.spawn("Read it.", name="one", pages=["read_0001"])
    ctx.renew(0)
    assert names(ctx.history.gc(NOW)) == ["read_0002"]
    child.turn()
    child.reply("Read.")
    child.agents.deliver("It is short.")
    child.close()
    ctx.agents.join("one")
    ctx.renew(0)
    assert "read_0002" in names(ctx.history.gc(NOW))


def test_the_work_at_renewals_is_bounded(opened: Open) -> None:
    """A collection reads each commit before the horizon once in the life of a context."""
    ctx = opened()
    rule = loom.Retention(horizon=1)
    read_now: list[int] = []
    journal = ctx._engine.workspace.journal
    scan = journal.scan

    def counted(after: int = 0):  # type: ignore[no-untyped-def]
        for commit in scan(after):
            read_now.append(commit.number)
            yield commit

    journal.scan = counted  # type: ignore[method-assign]
    for _ in range(6):
        read(ctx, 3)
        ctx.turn()
        ctx.history.gc(rule)
    once = [number for number in set(read_now) if read_now.count(number) > 3]
    assert len(read_now) < 3 * ctx._engine.workspace.commits and not once


def test_apply_is_a_bool(opened: Open) -> None:
    """What only looks like "no" lets nothing go."""
    ctx = opened()
    step(ctx, 200)
    with pytest.raises(loom.LoomError, match="True or False"):
        ctx.history.gc(apply="no")  # type: ignore[arg-type]


def test_a_snapshot_is_not_promoted(opened: Open) -> None:
    """No collection takes one, so it is no page to promote: in its own life and in the next."""
    ctx = opened()
    left(ctx, 2)
    ctx.renew(0)
    for life in range(2):
        again = opened() if life else ctx
        workspace = again._engine.workspace
        commits = workspace.commits
        with pytest.raises(loom.MissingPage):
            again.history.promote("snapshots/working_0001.json")
        assert workspace.commits == commits and not workspace.folded.promoted
