"""Repair: all that verifies comes along, what does not is told, and the session goes on."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.cli.check import _check_workspace
from loom.inspect.remade_requests import rendered_turn
from loom.rewrite.homes import agents_in
from loom.rewrite.reports import RepairedWorkspace
from loom.session.archive.restore import restore_entry
from loom.session.archive.workspace import Workspace
from tests.kit.journal import files, lawful
from tests.kit.rich_workspace import rich, step

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
LIVES = ("rich", "plain", "waiting")
DERIVED = ("checkpoints", "history", "index.db", "LOCK")


class Before:
    """A workspace before it is damaged: what each of its entries and pages is."""

    def __init__(self, folder: Path) -> None:
        held = Workspace.at_path(folder, write=False)
        self.entries = {entry: restore_entry(held, entry) for entry in held.index.commits}
        self.commits = {entry: set(made) for entry, made in held.index.commits.items()}
        self.pages = {name: held.pager.get(name) for name in held.pager.table}
        self.named = {
            ref.name: commit.number for commit in held.journal.scan() for ref in commit.pages
        }
        self.request = repr(rendered_turn(held, held.window).messages)
        self.last = held.commits


def plainly(folder: Path) -> Path:
    """A life without agents: a few steps, large texts, a resize, results given up."""
    with loom.open(folder, window=6_000, goal="Build it.") as ctx:
        ctx.user("Start. " * 400)
        ctx.turn()
        for number in range(9):
            step(ctx, number, 20 + 40 * (number % 4))
        ctx.reply(loom.Reply((loom.ToolCall("late", "Bash", '{"command": "sleep"}'),)))
        ctx.abandon("it took too long")
        ctx.turn()
        ctx.result("late", "came after all\n" * 90)
        ctx.resize(5_000)
        for number in range(9, 14):
            step(ctx, number, 60)
        ctx.finish("done")
        ctx.user("And more.")
        ctx.turn()
    return folder


def waiting(folder: Path) -> Path:
    """A life that ends while two of three calls wait."""
    with loom.open(plainly(folder)) as ctx:
        made = tuple(loom.ToolCall(f"w{at}", "Bash", '{"command": "x"}') for at in range(3))
        ctx.reply(loom.Reply(made))
        ctx.result("w1", "one of three\n" * 80)
    return folder


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each of the lives, lived once."""
    made = {"rich": rich, "plain": plainly, "waiting": waiting}
    above = tmp_path_factory.mktemp("lives")
    return {name: live(above / name) for name, live in made.items()}


@pytest.fixture(scope="module")
def before(lives: dict[str, Path]) -> dict[str, dict[str, Before]]:
    """By life and folder below it, what it was."""
    return {
        name: {each.relative_to(life).as_posix(): Before(each) for each in agents_in(life)}
        for name, life in lives.items()
    }


def test_the_results_of_a_lost_commit_are_told_to_the_model(tmp_path: Path) -> None:
    """A reply that follows stands: its calls before have marked results, and may come late."""
    with loom.open(tmp_path / "w", window=8_192) as ctx:
        ctx.user("Go.")
        ctx.turn()
        step(ctx, 0, 90)
        commits = ctx._engine.workspace.commits
        step(ctx, 1, 9)
    lose(tmp_path / "w", commits - 1)  # the last is of the turn
    report = loom.repair(tmp_path / "w", tmp_path / "new", durable=False)
    [told] = report.workspaces
    assert told.results == ("c0 of step_0002: Read(part_0.py)",)
    assert told.missing == (commits - 1,)
    with loom.open(tmp_path / "new", durable=False) as ctx:
        assert "lost to damage" in str(ctx.turn().request()) and lawful(ctx) == []
        output = "".join(f"line {at} of output 1\n" for at in range(9))
        assert ctx.history.restore(3).results == {"c1": output}
        ctx.result("c0", "here it is")
        assert "here it is" in str(ctx.turn().request())


@pytest.mark.parametrize("ago", [0, 3])
def test_no_number_of_a_request_is_given_twice(tmp_path: Path, ago: int) -> None:
    """Requests that are lost or left out are counted, and the next one goes on after them."""
    with loom.open(plainly(tmp_path / "w")) as ctx:
        ctx.renew()
        for number in range(20, 26):
            step(ctx, number, 9)
        made, commits = ctx.window.sent.turn, ctx._engine.workspace.commits
        first = commits - 3 * ago
    lose(tmp_path / "w", first)
    [told] = loom.repair(tmp_path / "w", tmp_path / "new", durable=False).workspaces
    assert told.lost and len(told.requests) <= 3 * ago
    with loom.open(tmp_path / "new", durable=False) as ctx:
        there = set(ctx._engine.workspace.index.requests)
        assert {*told.requests} - {made} == {*range(1, made)} - there
        ctx.user("On.")
        assert ctx.turn().number > made
        assert lawful(ctx) == []
    again = loom.repair(tmp_path / "new", tmp_path / "third", durable=False)
    assert not again.lost and again.workspaces[0].requests == ()
    with loom.open(tmp_path / "third", durable=False) as ctx:
        made = ctx.window.sent.turn
    lose(tmp_path / "third", first // 2)  # the record of the first repair lies behind it
    [new] = loom.repair(tmp_path / "third", tmp_path / "fourth", durable=False).workspaces
    assert not {*new.requests} & {*told.requests}
    with loom.open(tmp_path / "fourth", durable=False) as ctx:
        ctx.user("On.")
        assert ctx.turn().number > made and lawful(ctx) == []


def lose(folder: Path, number: int) -> None:
    """Damage the line of a commit."""
    for path in (folder / "journal").iterdir():
        lines = path.read_bytes().splitlines(keepends=True)
        for at, line in enumerate(lines):
            if b'"commit":%d,' % number in line[:40]:
                lines[at] = line[:30] + b"#" + line[31:]
        path.write_bytes(b"".join(lines))


def damage(folder: Path, dice: Random) -> None:
    """Damage journals and pages in several places at once."""
    every = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in ("inbox", "memory", *DERIVED)
    ]
    for _ in range(dice.randrange(1, 6)):
        some = [path for path in every if path.exists()]
        journals = [path for path in some if path.suffix == ".jsonl"]
        path = dice.choice(journals if journals and dice.random() < 0.6 else some)
        data = bytearray(path.read_bytes())
        at = dice.randrange(len(data) + 1)
        match dice.randrange(7):
            case 0:
                data[at : at + 1] = bytes(one ^ 1 << dice.randrange(8) for one in data[at:][:1])
            case 1:
                del data[at:]
            case 2:
                data[at:at] = b"junk\n"
            case 3:
                del data[at : at + dice.randrange(1, 40)]
            case 4:
                data[at : at + 100] = bytes(len(data[at : at + 100]))
            case 5:
                path.unlink()
                continue
            case 6:
                data = bytearray(dice.choice(some).read_bytes())
        path.write_bytes(data)


@pytest.mark.timeout(3_600 if SIMULATED else 300)
@settings(max_examples=400 if SIMULATED else 12, deadline=None)
@given(life=st.sampled_from(LIVES), seed=st.integers(0, 1 << 32))
def test_whatever_is_damaged_the_repaired_one_is_lawful(
    lives: dict[str, Path],
    before: dict[str, dict[str, Before]],
    tmp_path_factory: pytest.TempPathFactory,
    life: str,
    seed: int,
) -> None:
    """It opens, it is checked clean, what verified is there byte for byte, what is not is told."""
    above = tmp_path_factory.mktemp("run")
    try:
        shutil.copytree(lives[life], above / "w")
        damage(above / "w", Random(seed))
        held = {name: data for name, data in files(above / "w").items() if "LOCK" not in name}
        report = loom.repair(above / "w", above / "new", durable=False)
        now = {name: data for name, data in files(above / "w").items() if "LOCK" not in name}
        assert now == held
        for told in report.workspaces:
            right = before[life][told.agent or "."]
            if told.commits:
                as_told(above / "new" / told.agent, told, right)
        for each in agents_in(above / "new"):
            assert _check_workspace(each, "").problems == ()
        with warnings.catch_warnings():
            warnings.simplefilter("error", loom.LoomWarning)
            go_on(above / "new")
        for each in agents_in(above / "new"):
            assert _check_workspace(each, "").problems == ()
    finally:
        shutil.rmtree(above)


def as_told(folder: Path, told: RepairedWorkspace, right: Before) -> None:
    """What is missing is told, and nothing that is there is told as missing."""
    new: Any = Workspace.at_path(folder, write=False)
    gone = {*told.missing, *(one.commit for one in told.left_out)}
    lost = {page.name for page in told.pages}
    for entry, restored in right.entries.items():
        if entry not in new.index:
            assert gone & right.commits[entry], entry
            continue
        assert entry not in told.entries
        if not gone & right.commits[entry]:
            try:
                found = restore_entry(new, entry)
                there = {call: restored.results[call] for call in found.retired}
                for call in there.keys() - {*restored.retired}:
                    assert any(name in found.results[call] for name in lost)
                results = {**found.results, **there}
                assert replace(found, results=results, retired=restored.retired) == restored
            except loom.errors.Expired as error:
                assert error.name in lost
    for name, data in right.pages.items():
        if name in new.pager.table and name not in lost:
            assert new.pager.get(name) == data
        elif name not in lost:
            assert right.named[name] in told.missing
    assert set(told.missing) | set(range(1, right.last + 1)) == set(range(1, right.last + 1))
    if not told.lost:
        assert repr(rendered_turn(new, new.window).messages) == right.request


def go_on(folder: Path) -> None:
    """The next turn, a message, another turn."""
    with loom.open(folder, durable=False) as ctx:
        if ctx.calls:
            ctx.abandon("it was repaired")
        ctx.turn()
        ctx.user("Go on.")
        assert ctx.turn().pressure.rho <= 1.0
        assert lawful(ctx) == []
