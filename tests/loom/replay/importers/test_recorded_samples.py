"""Sessions as real programs wrote them, long texts replaced and some lines left out."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from loom.inputs import (
    ClientCompaction,
    RecordedUsage,
    Reply,
    Result,
    Session,
    Speech,
    System,
    ToolCall,
    User,
)
from loom.replay.importers import BadSession, find, load

SAMPLES = Path(__file__).parent / "samples"
TOLD = "Count as you are told. Numbers come in lines. Stop at the last one."


def kinds(session: Session) -> str:
    """A letter for each event: system, user, reply, result."""
    letters = {System: "s", User: "u", Reply: "r", Result: "o"}
    return "".join(letters[type(event)] for event in session.events)


def test_codex() -> None:
    """A rollout of Codex 0.169: items, their sizes, and what its own compaction cost."""
    [session] = load(SAMPLES / "codex.jsonl")
    assert kinds(session) == "ssuuroro" + "uror"
    replies = [event for event in session.events if isinstance(event, Reply)]
    assert [reply.prompt_tokens for reply in replies] == [9873, 50_000, 10_007, 10_588]
    assert session.model == "gpt-5.1-codex"
    assert session.usage == RecordedUsage(107_103, 0, 197)
    assert session.compactions == (
        ClientCompaction(8, 50_009, 6_047, read=6_040, wrote=14, summary=TOLD),
    )
    assert session.events[8] == User(TOLD, 20, "summary")
    assert [note.split(":")[0] for note in session.mended] == ["message 17", "message 20"]


def test_claude_code() -> None:
    """A session of Claude Code 2.1 with a compaction by command."""
    [session] = load(SAMPLES / "claude_code.jsonl")
    assert session.compactions[0].before == 19_329
    assert session.compactions[0].after == 573
    assert session.compactions[0].trigger == "manual"
    assert session.events[session.compactions[0].at] == User(
        TOLD, session.events[6].index, "summary"
    )
    assert session.model == "claude-opus-4-8"


def test_claude_code_sub_agent() -> None:
    """The file it keeps for a sub-agent, beside the session's."""
    [session] = load(SAMPLES / "claude_code_sub_agent.jsonl")
    assert session.name == "c0d18f15-e083-4f03-9595-b01f8d48c885/agent-ac2dccc29aa35860c"
    assert kinds(session) == "uroror"
    assert session.usage == RecordedUsage(34_925, 0, 92)


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    """The tables of opencode 1.18 with two sessions, as a database."""
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript((SAMPLES / "opencode.sql").read_text("utf-8"))
    return path


def test_opencode(opencode: Path) -> None:
    """Its database: a session and its sub-agent's, with what its own compaction cost."""
    session, child = load(opencode)
    assert kinds(session) == "uroro" + "uu" + "roror"
    assert kinds(child) == "uroror"
    [compaction] = session.compactions
    assert compaction == ClientCompaction(5, 99_009, 0, 633, 14, "auto", "All done.")
    assert session.usage == RecordedUsage(130_663, 0, 151)
    assert [path.name for path in opencode.parent.iterdir()] == ["opencode.db"]


def test_one_session_of_opencode(opencode: Path) -> None:
    """A path into the database names one session; one that is not there is refused."""
    child = load(opencode)[1]
    [alone] = load(opencode / child.name)
    assert (alone.name, alone.events) == (child.name, child.events)
    assert find([opencode / child.name]) == [opencode / child.name]
    with pytest.raises(BadSession, match="no session ses_none"):
        load(opencode / "ses_none")


def test_openhands() -> None:
    """A folder of events of OpenHands' SDK 1.58 is one session, named by the folder above."""
    folder = SAMPLES / "openhands"
    assert find([folder]) == [folder / "events"]
    [session] = load(folder / "events")
    assert session.name == "openhands"
    assert kinds(session) == "suroro" + "ror"
    assert session.events[3] == Result("call_1", "0\n1\n2\n3", index=3)


@pytest.mark.parametrize(
    ("name", "shape"), [("text", "surur"), ("toolcall", "suroro"), ("responses", "suroro")]
)
def test_mini_swe_agent(name: str, shape: str) -> None:
    """mini-swe-agent 2.4 with a model of texts, of Chat Completions and of Responses."""
    [session] = load(SAMPLES / f"mini_{name}.traj.json")
    assert kinds(session) == shape
    assert session.model.startswith("deterministic")
    assert "how the run ended was left out" in session.mended[0]


@pytest.mark.parametrize("name", ["to_dict", "dumpd"])
def test_langchain(name: str) -> None:
    """Messages of langchain-core 1.8; a call that content repeats comes once."""
    [session] = load(SAMPLES / f"langchain_{name}.json")
    assert kinds(session) == "suror"
    reply = session.events[2]
    assert isinstance(reply, Reply)
    assert reply.parts == (Speech("Next."), ToolCall("t1", "seq", '{"end":2}'))
    assert session.usage == RecordedUsage(30, 10, 5, 4)
    assert session.model == "scripted-1"


def test_inspect() -> None:
    """A log of inspect 0.3: a session for each sample, with the model of the task."""
    sessions = load(SAMPLES / "inspect.json")
    assert [one.name for one in sessions] == ["again", "words"]
    assert [kinds(one) for one in sessions] == ["suror"] * 2
    assert {one.model for one in sessions} == {"mockllm/model"}
    assert sessions[0].usage == RecordedUsage(408, 0, 51)
