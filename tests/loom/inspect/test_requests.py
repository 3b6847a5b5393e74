"""The requests of a journal, how two differ, and one counting of them for every command."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import loom
from loom.cli import main
from loom.inputs import Reasoning, Reply, Session, Speech
from loom.inspect.difference import SurfaceChange, window_difference
from loom.inspect.requests import (
    BetweenRequests,
    RequestRow,
    folded_requests,
    plain_list_run,
    request_bill,
)
from loom.inspect.sent_size import SentSize
from loom.providers.counts import counter_for
from loom.providers.formats import FORMATS
from loom.replay.cost import Bill
from loom.replay.feed import replay
from loom.session.archive.workspace import Workspace
from loom_bench.sessions.generate import session as made
from loom_partitions.limits import Tokens
from tests.kit.opened import Open, opened_with, plain
from tests.loom.report.conftest import data_of, told

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "replay" / "importers" / "samples"
RAW = HERE.parents[3] / "shared" / "data" / "claude-code-raw"


def row(tokens: int, listed: int, capacity: int = 1_000, kept: int = 0, **more: int) -> RequestRow:
    """A request of so many tokens."""
    size = SentSize(Tokens(history=tokens), capacity=capacity, **more)
    return RequestRow(1, 1, 1, size, "", "", BetweenRequests(), kept, listed)


def test_the_plain_list_is_lawful_to_the_request_that_no_longer_fits() -> None:
    """The first that is larger than the room is the overflow; what was sent before it counts."""
    rows = [row(90, 100), row(900, 1_000), row(800, 1_001), row(700, 900)]
    run = plain_list_run(rows)
    assert (run.overflow, run.lawful.sent, run.bill.sent) == (3, 1_100, 3_001)
    assert (run.bill.reused, run.bill.peak) == (100 + 1_000 + 900, 1_001)
    assert request_bill(rows) == Bill(calls=4, sent=2_490, reused=0, peak=900)


def test_what_a_provider_reports_scales_all_of_a_request() -> None:
    """What is reused, and the plain list beside it, are in the tokens of whoever counted it."""
    one = row(100, 300, kept=50, beside=100, reported=400)
    assert (one.size.total, one.reused, one.plain) == (400, 100, 600)


def test_what_was_sent_again_is_all_reused_and_what_was_refused_is_in_no_sum() -> None:
    """Once more is the whole of it once more; a refusal costs nothing, and is no largest."""
    rows = [row(100, 0, times=3, kept=40), row(900, 0, times=0, kept=100)]
    assert request_bill(rows) == Bill(calls=3, sent=300, reused=240, peak=100)


def test_a_request_begins_with_the_one_before_until_a_cut(tmp_path: Path) -> None:
    """All of that is kept; behind a cut what its certificate says, behind an undo what stands."""
    with plain(tmp_path / "w", window=16_000) as ctx:
        for number in range(4):
            ctx.user(f"Question {number}. " * 60)
            ctx.turn()
            ctx.reply(Reply((Speech("Well."),)))
        ctx.history.undo(2)
        ctx.turn()
        ctx.reply(Reply((Speech("Well."),)))
        ctx.renew()
        ctx.turn()
    fold = folded_requests(Workspace.at_path(tmp_path / "w", write=False))
    sizes = [one.size.tokens.total for one in fold.rows]
    assert [one.kept for one in fold.rows[:4]] == [0, *sizes[:3]]
    assert 0 < fold.rows[4].kept <= sizes[4] and fold.rows[4].since.back_to == 2
    (cut,) = fold.cuts
    assert fold.rows[5].kept == cut.reusable < sizes[4] and fold.levels == {"renewal": 1}


@pytest.fixture(scope="module")
def thoughtful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of a session whose replies hold reasoning, some of it to be sent back."""
    folder = tmp_path_factory.mktemp("thoughtful") / "w"
    opaque = json.dumps({"type": "thinking", "thinking": "Let me see. " * 60, "signature": "c2ln"})
    thought = Reasoning("Let me see. " * 60, opaque, "anthropic")
    events = [
        Reply((thought, *one.parts), one.model) if isinstance(one, Reply) else one
        for one in made(3, 24).events
    ]
    with plain(folder, window=128_000) as ctx:
        for _ in replay(ctx, Session("thoughtful", tuple(events))):
            pass
    return folder


def both(capfd: pytest.CaptureFixture[str], path: Path, window: int) -> None:
    """The two commands say the same of every session of a file."""
    given = [str(path), "--window", str(window), "--json"]
    capfd.readouterr()
    assert main(["replay", *given]) == 0
    replayed = json.loads(capfd.readouterr().out)["sessions"]
    reported = told(capfd, "report", path, "--window", str(window), "--no-redact")["agents"]
    assert len(replayed) == len(reported)
    for one, row in zip(replayed, reported, strict=True):
        sums, plain = row["sums"], one["plain"]
        assert (sums["requests"], sums["sent"], sums["plain"]) == (
            one["loom"]["requests"],
            one["loom"]["sent"],
            plain["sent"],
        )
        assert (sums["largest"], sums["reusable"]) == (one["loom"]["peak"], one["loom"]["read"])
        assert sums["cost"] == pytest.approx(one["loom"]["cost"], abs=1e-6)
        assert sums["plain_cost"] == pytest.approx(plain["cost"], abs=1e-6)
        number = row["plain_over"]
        place = [turn["turn"] for turn in row["turns"]].index(number) + 1 if number else None
        assert place == plain["overflow_turn"]
        assert row["model"] == one["model"]
        assert sum(turn["replied"] for turn in row["turns"]) == one["output"]["tokens"]


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_report_and_replay_say_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], path: Path
) -> None:
    """Sizes, verdict and dollars of every recorded shape; the sample of opencode is a database."""
    if path.suffix == ".sql":
        script, path = path.read_text(), tmp_path / "opencode.db"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(script)
    both(capfd, path, 128_000)


@pytest.mark.parametrize("format", FORMATS)
def test_report_and_replay_say_the_same_of_a_providers_list(
    thoughtful: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], format: str
) -> None:
    """Of reasoning too, with the defaults and in a window that is too small for a plain list."""
    path = tmp_path / "list.json"
    assert main(["export", str(thoughtful), str(path), "--format", format]) == 0
    both(capfd, path, 128_000)
    both(capfd, path, 12_000)


@pytest.mark.shared
@pytest.mark.skipif(not RAW.is_dir(), reason="no recorded sessions are here")
def test_report_and_replay_say_the_same_of_recorded_sessions(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Of real ones, in a window that they fill."""
    for path in sorted(RAW.glob("*.jsonl")):
        both(capfd, path, 64_000)


def test_what_came_in_short_is_counted_whole(folder: Path) -> None:
    """A result that stands as a preview is counted as it was given."""
    text = "".join(f"row {at}: {at * 7}\n" for at in range(4_000))
    with plain(folder, window=8_000) as ctx:
        ctx.user("Go.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c", "read", '{"path": "a.txt"}'),)))
        ctx.result("c", text)
        ctx.turn()
    [agent] = data_of(folder).agents
    workspace = Workspace.at_path(folder, write=False)
    count = counter_for(encoding=workspace.window.config.encoding)
    assert agent.turns[-1].plain - agent.turns[0].plain >= count(text)
    assert agent.plain_over == 2


def test_what_was_undone_is_not_in_it(folder: Path) -> None:
    """Going back takes out what followed."""
    with plain(folder, window=64_000) as ctx:
        ctx.user("Go.")
        ctx.turn()
        for number in range(3):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "read", '{"path": "a.py"}'),)))
            ctx.result(f"c{number}", "text " * 50)
            ctx.turn()
        ctx.history.undo(to=2)
        ctx.turn()
    [agent] = data_of(folder).agents
    assert agent.turns[-1].plain == agent.turns[1].plain < agent.turns[2].plain


opened = opened_with(window=8_192)


def test_the_surfaces(opened: Open) -> None:
    """Goal, plan, questions, evidence and events: what is new, what says something else, what
    went."""
    ctx = opened(goal="Port it.")
    ctx.working.plan([("read", "doing"), ("port", "todo")])
    ctx.working.ask("q1", "Which version?")
    ctx.events.signal("ci", "the build is red")
    before = ctx.window
    ctx.working.set_goal("Port all of it.")
    ctx.working.plan([("read", "done"), ("test", "todo")])
    ctx.working.answered("q1")
    ctx.working.evidence("e1", "It is 3.11.", confidence=0.9)
    ctx.events.acknowledge("ci", "defer")
    assert set(window_difference(before, ctx.window).surfaces) == {
        SurfaceChange("changed", "goal", "goal", "Port it.", "Port all of it."),
        SurfaceChange("changed", "plan", "read", "doing", "done"),
        SurfaceChange("left", "plan", "port", "todo", ""),
        SurfaceChange("entered", "plan", "test", "", "todo"),
        SurfaceChange("left", "questions", "q1", "Which version?", ""),
        SurfaceChange("entered", "evidence", "e1", "", "It is 3.11. (0.90)"),
        SurfaceChange("left", "events", "ci", "normal: the build is red", ""),
        SurfaceChange("entered", "risks", "ci", "", "defer (normal): the build is red"),
        SurfaceChange("entered", "decisions", "ci", "", "defer"),
    }
