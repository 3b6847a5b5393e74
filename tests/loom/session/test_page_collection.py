"""Garbage collection: what is needed stays, what goes is told, and the files follow the record."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.cli import main
from loom.retention import TTL, CollectedPages
from loom.rewrite.export import MovedFiles, export
from loom_paging import FileStore
from loom_partitions.records import Sifted
from tests.kit.cases import all_cases
from tests.kit.journal import records
from tests.kit.opened import Open, opened_with
from tests.kit.step import own, step

# What a digest shows keeps a page: here it shows none.
TERSE = loom.Policy(
    tuning=loom.Tuning(index_tokens=0, index_share=0.0, digest_tokens=0, digest_share=0.0)
)
opened = opened_with(window=8_192, policy=TERSE)
NOW = loom.Retention(default=0, horizon=0, ttl=dict.fromkeys(TTL, 0))


def names(found: CollectedPages) -> list[str]:
    """The short names of the pages that go."""
    return [page.name.partition("/")[2].partition(".")[0] for page in found.gone]


def stays(found: CollectedPages, kind: str) -> dict[str, int]:
    """How many pages of a kind stay, by why."""
    return {kept.why: kept.pages for kept in found.kept if kept.kind == kind}


def read(ctx: loom.Context, many: int, lines: int = 60) -> None:
    """Files that were read, each with a page, and a step that a renewal may leave standing."""
    for number in range(many):
        step(ctx, lines, tool="Read", args={"path": f"f{number}.py"})
    step(ctx)


def left(ctx: loom.Context, many: int = 4) -> None:
    """Files that were read and are in no window any more."""
    read(ctx, many)
    ctx.renew(0)


def retired(ctx: loom.Context) -> list[Sifted]:
    """The records of pages that went."""
    return [one for one in records(ctx) if isinstance(one, Sifted) and one.why != "kept"]


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


def test_promoted_pages_stay(opened: Open) -> None:
    """By a page's name or an entry's, once and for all; also after it is opened again."""
    ctx = opened()
    left(ctx)
    for ref in ("read_0001", "outputs/read_0001.txt", "step_0002", "step_0002"):
        ctx.history.promote(ref)
    assert [one.pages for one in records(ctx) if isinstance(one, Sifted) and one.why == "kept"] == [
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
        ("read_0001", loom.errors.Expired),
        ("step_0001", loom.errors.Expired),
        ("read_0099", loom.MissingPage),
        ("step_0099", loom.MissingPage),
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
        ctx.history.gc(odd)
    with pytest.raises(loom.LoomError):
        loom.open(tmp_path / "other", policy=loom.Policy(retention=odd))
    assert not (tmp_path / "other").exists()


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


READERS: dict[str, Callable[[Path, Path], object]] = {
    "check": lambda folder, out: main(["check", str(folder)]),
    "export": lambda folder, out: export(folder, out),
    "export as messages": lambda folder, out: main(
        ["export", str(folder), str(out), "--format", "openai"]
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_pages_that_go_while_they_are_read(
    opened: Open, tmp_path: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal is read, then pages go: the reader looks again, and finds nothing wrong."""
    ctx, real = opened(), FileStore.read
    left(ctx)

    def read(store: FileStore, name: str, offset: int, length: int) -> bytes:
        if name.startswith("outputs/read_") and not went:
            went.append(name)
            assert ctx.history.gc(NOW, apply=True).gone
            ctx.user("On.")  # the files go
        return real(store, name, offset, length)

    went: list[str] = []
    monkeypatch.setattr(FileStore, "read", read)
    found = READERS[reader](tmp_path / "w", tmp_path / "out")
    assert found == 0 or (isinstance(found, MovedFiles) and not found.problems)
    assert went


def test_damage_is_there_each_time(opened: Open, tmp_path: Path) -> None:
    """A page that went without a record is told, however often it is looked for."""
    left(opened())
    (tmp_path / "w/outputs/read_0001.txt").unlink()
    assert main(["check", str(tmp_path / "w")]) == 1
    with pytest.raises(loom.errors.CorruptJournal, match="the first in"):
        export(tmp_path / "w", tmp_path / "out")


def test_apply_is_a_bool(opened: Open) -> None:
    """What only looks like "no" lets nothing go."""
    ctx = opened()
    step(ctx, 200)
    with pytest.raises(loom.LoomError, match="True or False"):
        ctx.history.gc(apply="no")
