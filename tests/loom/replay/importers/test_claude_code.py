"""Claude Code's session files."""

from pathlib import Path
from typing import Any

import pytest

from loom.inputs import (
    ClientCompaction,
    Reasoning,
    RecordedUsage,
    Reply,
    Result,
    Speech,
    ToolCall,
    User,
)
from loom.replay.importers import BadSession, load


def line(kind: str, uuid: Any, **fields: Any) -> dict[str, Any]:
    """Return a line with the bookkeeping every line has."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s",
        "uuid": uuid,
        "type": kind,
        **fields,
    }


def said(uuid: Any, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a line of the user."""
    return line("user", uuid, message={"role": "user", "content": content}, **fields)


def piece(uuid: str, id: str | None, *blocks: dict[str, Any], cached: int = 90) -> dict[str, Any]:
    """Return a line with blocks of a reply."""
    usage = {"input_tokens": 10, "cache_read_input_tokens": cached, "output_tokens": 1}
    message = {"id": id, "model": "claude-x", "role": "assistant", "type": "message"}
    return line("assistant", uuid, message={**message, "content": list(blocks), "usage": usage})


def use(id: str) -> dict[str, Any]:
    """Return a call block."""
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}


def result(id: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a result block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
OPAQUE = Reasoning("hm", '{"type":"thinking","thinking":"hm","signature":"c2ln"}', "anthropic")
CALL = '{"command":"ls"}'


def test_session(jsonl: Any) -> None:
    """Pieces of a reply become one, bookkeeping is left out, indices are line numbers."""
    path = jsonl(
        {"type": "summary", "summary": "Old talk", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        said("1", "go"),
        piece("2", "m1", THOUGHT),
        piece("3", "m1", text("I look.")),
        line("progress", "4", data={"type": "hook_progress"}),
        piece("5", "m1", use("t1"), cached=140),
        said("6", [result("t1", "a\nb", is_error=False)], toolUseResult={"stdout": "a\nb"}),
        line("system", "7", subtype="turn_duration", durationMs=5),
        piece("8", "m2", text("Done.")),
        name="abc.jsonl",
    )
    [session] = load(path)
    assert session.name == "abc"
    assert session.source == str(path)
    assert session.mended == ()
    assert session.events == (
        User("go", 2),
        Reply((OPAQUE, Speech("I look."), ToolCall("t1", "Bash", CALL)), "claude-x", 150, 3),
        Result("t1", "a\nb", index=7),
        Reply((Speech("Done."),), "claude-x", 100, 9),
    )


def test_results_between_pieces(jsonl: Any) -> None:
    """A result written between two pieces of its reply follows the whole reply."""
    path = jsonl(
        piece("1", "m", use("t1")),
        said("2", [result("t1", "one")]),
        piece("3", "m", use("t2")),
        said("4", [result("t2", "two", is_error=True)]),
    )
    [session] = load(path)
    reply, one, two = session.events
    assert isinstance(reply, Reply)
    assert [call.id for call in reply.calls] == ["t1", "t2"]
    assert (one, two) == (Result("t1", "one", index=1), Result("t2", "two", True, 3))
    assert session.mended == ()


def test_replies_without_id_stay_apart(jsonl: Any) -> None:
    """Replies that name no message are not joined."""
    [session] = load(jsonl(piece("1", None, text("a")), piece("2", None, text("b"))))
    assert len(session.events) == 2


def test_sub_agents_among_the_lines(jsonl: Any) -> None:
    """What sub-agents said and were told are sessions of their own, named after this one."""

    def aside(parent: str | None, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "isSidechain": True, "parentUuid": parent}

    path = jsonl(
        said("1", "go"),
        aside(None, said("2", "first task")),
        aside(None, said("3", "second task")),
        aside("2", piece("4", "m", text("first done"))),
        said("5", "on"),
        aside("3", piece("6", "n", text("second done"))),
        name="abc.jsonl",
    )
    told = {one.name: [getattr(e, "text", "") for e in one.events] for one in load(path)}
    assert told == {
        "abc": ["go", "on"],
        "abc/agent-1": ["first task", ""],
        "abc/agent-2": ["second task", ""],
    }


def test_a_file_of_a_sub_agent(jsonl: Any) -> None:
    """A sub-agent's own file is a session named after the one that started it."""
    row = {**said("1", "task"), "isSidechain": True, "agentId": "a7"}
    path = jsonl(row, {**piece("2", "m", text("done")), "isSidechain": True, "agentId": "a7"})
    [session] = load(path)
    assert session.name == "s/agent-a7"
    assert session.events[0] == User("task", 0)


def test_usage_counts_each_reply_once(jsonl: Any) -> None:
    """The pieces of a reply repeat its usage; the last stands, and replies are added."""
    first = (piece("2", "m", text("a")), piece("3", "m", text("b"), cached=140))
    [session] = load(jsonl(said("1", "go"), *first, piece("4", "n", text("c"))))
    assert session.usage == RecordedUsage(input=250, cached=230, output=2)
    assert session.model == "claude-x"


@pytest.mark.parametrize(
    ("content", "read"),
    [
        ("plain", "plain"),
        ([text("a"), text("b")], "a\nb"),
        (
            [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"},
                }
            ],
            "[image omitted: image/png, 3 bytes]",
        ),
        ([], ""),
        (None, ""),
    ],
)
def test_result_content(jsonl: Any, content: Any, read: str) -> None:
    """The content of a result is text, whatever its parts."""
    [session] = load(jsonl(piece("1", "m", use("t")), said("2", [result("t", content)])))
    assert session.events[1] == Result("t", read, index=1)


def test_user_parts(jsonl: Any) -> None:
    """Texts beside results become one turn behind them; pictures are named."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    path = jsonl(
        piece("1", "m", use("t")),
        said("2", [text("see"), picture, result("t", "x")]),
    )
    [session] = load(path)
    assert session.events[1:] == (
        Result("t", "x", index=1),
        User("see\n\n[image omitted: image/png, 0 bytes]", 1),
    )


def test_compaction_and_repeats_are_noted(jsonl: Any) -> None:
    """A compaction mark and a line recorded twice are dropped and noted; the summary stays."""
    path = jsonl(
        said("1", "go"),
        line("system", "2", subtype="compact_boundary", content="Conversation compacted"),
        said("3", "This session is being continued.", isCompactSummary=True),
        said("3", "This session is being continued.", isCompactSummary=True),
    )
    [session] = load(path)
    assert session.events == (User("go", 0), User("This session is being continued.", 2, "summary"))
    assert [note.split(":")[0] for note in session.mended] == ["message 1", "message 3"]
    assert session.compactions == (ClientCompaction(1, summary="This session is being continued."),)


def test_what_a_compaction_cost(jsonl: Any) -> None:
    """The sizes before and after and the trigger are kept, with the place among the events."""
    told = {"trigger": "auto", "preTokens": 155_000, "postTokens": 900}
    path = jsonl(
        said("1", "go"),
        piece("2", "m", use("t")),
        said("3", [result("t", "x")]),
        line("system", "4", subtype="compact_boundary", compactMetadata=told),
        said("5", "Summary.", isCompactSummary=True),
        said("6", "on"),
    )
    [session] = load(path)
    assert session.compactions == (ClientCompaction(3, 155_000, 900, 0, 0, "auto", "Summary."),)
    assert session.events[3] == User("Summary.", 4, "summary")


def test_what_the_client_wrote_itself(jsonl: Any) -> None:
    """Lines the client marks as its own are no words of the user; a skill's body is a skill's."""
    body = "Base directory for this skill: /s/audit\n\n# Audit\nList each function."
    path = jsonl(
        said("1", "go"),
        said("2", body, isMeta=True),
        said("3", "Continue from where you left off.", isMeta=True),
        said("4", "on"),
    )
    [session] = load(path)
    assert [one.kind for one in session.events] == ["", "", "observation", ""]


def test_unanswered_call(jsonl: Any) -> None:
    """A call the session broke off at is answered by a made result."""
    [session] = load(jsonl(piece("1", "m", use("t"))))
    assert session.events[1] == Result("t", "no result was recorded for this call", True)
    assert len(session.mended) == 1


@pytest.mark.parametrize(
    "broken",
    [
        line("user", "2"),
        line("user", "2", message="x"),
        line("assistant", "2", message={"role": "assistant"}),
        line("user", ["2"], message={}),
        piece("2", "m", {"type": "tool_use", "input": {}}),
        said("2", [{"type": "tool_result", "content": "x"}]),
    ],
)
def test_broken_line(jsonl: Any, broken: dict[str, Any]) -> None:
    """A line that cannot be read is left out and told by its number; alone it is no session."""
    [session] = load(jsonl(said("1", "go"), broken, said("3", "on")))
    assert session.events == (User("go", 0), User("on", 2))
    [note] = session.mended
    assert note.startswith("message 1: ") and note.endswith(": it was left out")
    empty = {"role": "assistant"}
    path: Path = jsonl(line("assistant", "1", message=empty), broken, name="alone.jsonl")
    with pytest.raises(BadSession, match="left out") as caught:
        load(path)
    assert (caught.value.path, caught.value.line) == (path, 1)


@pytest.mark.parametrize("odd", [["1"], {"id": "1"}, 7, None])
def test_marks_may_be_anything(jsonl: Any, odd: Any) -> None:
    """A line whose id is no word is read as one without."""
    [session] = load(jsonl(said("1", "go"), said(odd, "a"), said(odd, "b")))
    assert [event.index for event in session.events] == [0, 1, 2]


def test_an_empty_session_beside_its_sub_agents(jsonl: Any) -> None:
    """Where only sub-agents said what can be read, theirs are the sessions, and that is told."""
    row = {**said("1", "x"), "isSidechain": True}
    [session] = load(jsonl(row, line("user", "2", message={"role": "user"})))
    assert session.events == (User("x", 0),)
    assert "holds no messages" in session.mended[0]
