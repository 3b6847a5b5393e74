"""The requests of a journal, and one counting of them for every command that tells of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loom.cli import main
from loom.engine.archive.workspace import Workspace
from loom.engine.sent_size import SentSize
from loom.inputs import Reasoning, Reply, Session, Speech, ToolCall
from loom.inspect.requests import Meanwhile, RequestRow, billed, folded, plain_run
from loom.replay.cost import Bill
from loom_bench.sessions.generate import session as made
from loom_partitions.limits import Tokens
from tests.kit.opened import plain
from tests.loom.report.conftest import told

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "replay" / "importers" / "samples"
RAW = HERE.parents[3] / "shared" / "data" / "claude-code-raw"


def row(tokens: int, listed: int, capacity: int = 1_000, kept: int = 0, **more: int) -> RequestRow:
    """A request of so many tokens."""
    size = SentSize(Tokens(history=tokens), capacity=capacity, **more)
    return RequestRow(1, 1, 1, size, "", "", Meanwhile(), kept, listed)


def test_nothing_is_billed_without_a_request() -> None:
    """A session in which no model spoke costs nothing, with Loom and without."""
    assert billed([]) == plain_run([]).bill == Bill() and plain_run([]).overflow == 0


def test_the_plain_list_is_lawful_to_the_request_that_no_longer_fits() -> None:
    """The first that is larger than the room is the overflow; what was sent before it counts."""
    rows = [row(90, 100), row(900, 1_000), row(800, 1_001), row(700, 900)]
    run = plain_run(rows)
    assert (run.overflow, run.lawful.sent, run.bill.sent) == (3, 1_100, 3_001)
    assert (run.bill.reused, run.bill.peak) == (100 + 1_000 + 900, 1_001)
    assert billed(rows) == Bill(calls=4, sent=2_490, reused=0, peak=900)


def test_what_a_provider_reports_scales_all_of_a_request() -> None:
    """What is reused, and the plain list beside it, are in the tokens of whoever counted it."""
    one = row(100, 300, kept=50, beside=100, reported=400)
    assert (one.size.total, one.reused, one.plain) == (400, 100, 600)


def test_what_was_sent_again_is_all_reused_and_what_was_refused_is_in_no_sum() -> None:
    """Once more is the whole of it once more; a refusal costs nothing, and is no largest."""
    rows = [row(100, 0, times=3, kept=40), row(900, 0, times=0, kept=100)]
    assert billed(rows) == Bill(calls=3, sent=300, reused=240, peak=100)


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
    fold = folded(Workspace.at_path(tmp_path / "w", write=False))
    sizes = [one.size.tokens.total for one in fold.rows]
    assert [one.kept for one in fold.rows[:4]] == [0, *sizes[:3]]
    assert 0 < fold.rows[4].kept <= sizes[4] and fold.rows[4].since.back_to == 2
    (cut,) = fold.cuts
    assert fold.rows[5].kept == cut.reusable < sizes[4] and fold.levels == {"renewal": 1}


def said(reply: Reply) -> list[Speech | ToolCall]:
    """The parts of a reply that are no reasoning."""
    return [part for part in reply.parts if not isinstance(part, Reasoning)]


def thoughtful(number: int) -> Session:
    """A session whose replies hold reasoning, some of it to be sent back."""
    session = made(number, 40)
    opaque = json.dumps({"type": "thinking", "thinking": "Let me see. " * 60, "signature": "c2ln"})
    events = [
        Reply((Reasoning("Let me see. " * 60, opaque, "anthropic"), *said(one)), one.model)
        if isinstance(one, Reply)
        else one
        for one in session.events
    ]
    return Session(session.name, tuple(events))


def claude_code(session: Session) -> list[dict[str, Any]]:
    """The session as lines of Claude Code."""
    rows: list[dict[str, Any]] = []
    for at, event in enumerate(session.events):
        if isinstance(event, Reply):
            content: Any = [
                json.loads(part.opaque)
                if isinstance(part, Reasoning)
                else {"type": "text", "text": part.text}
                if isinstance(part, Speech)
                else {
                    "type": "tool_use",
                    "id": part.id,
                    "name": part.name,
                    "input": {"given": part.arguments},
                }
                for part in event.parts
            ]
            said = {"role": "assistant", "id": f"m{at}", "content": content}
        elif call := getattr(event, "call_id", ""):
            block = {"type": "tool_result", "tool_use_id": call, "content": event.text}
            said = {"role": "user", "content": [block]}
        else:
            said = {"role": "user", "content": event.text}
        kind = "assistant" if isinstance(event, Reply) else "user"
        rows.append({"type": kind, "uuid": str(at), "parentUuid": str(at - 1), "message": said})
    return rows


def lines(*rows: dict[str, Any]) -> Callable[[Path], Path]:
    """A file of such lines."""

    def write(folder: Path) -> Path:
        path = folder / "session.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        return path

    return write


def document(value: Any) -> Callable[[Path], Path]:
    """A file of one document."""

    def write(folder: Path) -> Path:
        path = folder / "session.json"
        path.write_text(json.dumps(value))
        return path

    return write


def sample(name: str) -> Callable[[Path], Path]:
    """A sample of an importer; that of opencode becomes a database."""

    def write(folder: Path) -> Path:
        if not name.endswith(".sql"):
            return SAMPLES / name
        path = folder / "opencode.db"
        with sqlite3.connect(path) as database:
            database.executescript((SAMPLES / name).read_text())
        database.close()
        return path

    return write


CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
LISTS: dict[str, Any] = {
    "openai": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "a.py\n" * 400},
        {"role": "assistant", "content": "Done."},
    ],
    "anthropic": [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm " * 200, "signature": "c2ln"},
                {"type": "tool_use", "id": "c", "name": "ls", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"text": "hm " * 99, "thought": True}, {"text": "Done."}]},
        {"role": "user", "parts": [{"text": "More."}]},
        {"role": "model", "parts": [{"text": "Done again."}]},
    ],
    "responses": [
        {"type": "message", "role": "user", "content": "Go."},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA" * 99},
        {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "a.py"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
    ],
}
NORMALISED = (
    {"role": "user", "content": "Go."},
    {
        "role": "assistant",
        "thinking": "hm " * 300,
        "tool_calls": [{"id": "c", "name": "ls", "arguments": {}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "a.py"},
    {"role": "assistant", "content": "Done.", "ctx_tokens": 900},
)
GIVEN = {
    **{path.name: sample(path.name) for path in sorted(SAMPLES.iterdir())},
    **{name: document(value) for name, value in LISTS.items()},
    "normalised": lines(*NORMALISED),
    "with reasoning": lines(*claude_code(thoughtful(3))),
}


def both(capfd: pytest.CaptureFixture[str], path: Path, window: int) -> None:
    """The two commands say the same of every session of a file."""
    given = [str(path), "--window", str(window), "--json"]
    capfd.readouterr()
    assert main(["replay", *given]) == 0
    replayed = json.loads(capfd.readouterr().out)["sessions"]
    reported = told(capfd, "report", path, "--window", str(window))["agents"]
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


@pytest.mark.parametrize("name", GIVEN)
def test_report_and_replay_say_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    """Sizes, verdict and dollars of every recorded shape, reasoning too, with its defaults and in
    a window that is too small for a plain list."""
    path = GIVEN[name](tmp_path)
    both(capfd, path, 128_000)
    if name == "with reasoning":
        both(capfd, path, 12_000)


@pytest.mark.shared
@pytest.mark.skipif(not RAW.is_dir(), reason="no recorded sessions are here")
def test_report_and_replay_say_the_same_of_recorded_sessions(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Of real ones, in a window that they fill."""
    for path in sorted(RAW.glob("*.jsonl")):
        both(capfd, path, 64_000)
