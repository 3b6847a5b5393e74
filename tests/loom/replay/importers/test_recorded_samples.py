"""Sessions as real programs wrote them, long texts replaced and some lines left out."""

from pathlib import Path

from loom.inputs import ClientCompaction, RecordedUsage, Reply, Result, Session, System, User
from loom.replay.importers import load

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
    assert session.events[8] == User(TOLD, 20)
    assert [note.split(":")[0] for note in session.mended] == ["message 17", "message 20"]


def test_claude_code() -> None:
    """A session of Claude Code 2.1 with a compaction by command."""
    [session] = load(SAMPLES / "claude_code.jsonl")
    assert session.compactions[0].before == 19_329
    assert session.compactions[0].after == 573
    assert session.compactions[0].trigger == "manual"
    assert session.events[session.compactions[0].at] == User(TOLD, session.events[6].index)
    assert session.model == "claude-opus-4-8"


def test_claude_code_sub_agent() -> None:
    """The file it keeps for a sub-agent, beside the session's."""
    [session] = load(SAMPLES / "claude_code_sub_agent.jsonl")
    assert session.name == "c0d18f15-e083-4f03-9595-b01f8d48c885/agent-ac2dccc29aa35860c"
    assert kinds(session) == "uroror"
    assert session.usage == RecordedUsage(34_925, 0, 92)
