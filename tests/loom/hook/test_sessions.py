"""What is told after a compaction: what the session did, followed through its transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.context.pins import leave_asked_deed
from loom.hook import transcript
from loom.hook.answering import event_answer
from loom.hook.sessions import TOLD_TOKENS
from tests.kit.hook_events import LOG, Transcript, bash_event

FAILING = "checks whose last seen run failed:"


@pytest.fixture
def talk(tmp_path: Path) -> Transcript:
    """An empty transcript."""
    return Transcript(tmp_path / "s1.jsonl")


def event(name: str, talk: Transcript, **more: Any) -> dict[str, Any]:
    """An event of the session of a transcript."""
    return {"session_id": "s1", "hook_event_name": name, "transcript_path": str(talk.path), **more}


def compact(talk: Transcript) -> str:
    """What is told after a compaction."""
    event_answer(event("PreCompact", talk, trigger="auto"))
    said = event_answer(event("SessionStart", talk, source="compact"))
    return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""


def worked(talk: Transcript) -> None:
    """A session: a rule of the user's, a file changed, a test that fails, a check now fixed."""
    talk.user("The limit should be 177.")
    talk.calls(("c1", "Edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y\nz"}))
    talk.result("c1", "The file /w/a.py has been updated.")
    talk.calls(("c2", "Bash", {"command": "pytest -q"}))
    talk.result("c2", "Exit code 1\nFAILED test_a.py::test_limit - expected 177", error=True)
    talk.calls(("c3", "Bash", {"command": "ruff check ."}))
    talk.result("c3", "Exit code 1\nE501 Line too long", error=True)
    talk.calls(("c4", "Bash", {"command": "ruff check ."}))
    talk.result("c4", "All checks passed!")


def test_what_was_done_is_told(place: Path, talk: Transcript) -> None:
    """Rules of the user's, files changed and failures not fixed; quoted, and marked as Loom's."""
    worked(talk)
    before = (talk.path.read_bytes(), talk.path.stat().st_mtime_ns)
    text = compact(talk)
    head, *lines = text.splitlines()
    assert head.startswith("[Loom, a hook of this session, kept this")
    assert all(line.startswith(">") for line in lines)
    assert "The limit should be 177." in text and "a.py edited" in text
    failing, _, done = text.partition(FAILING)[2].partition("changed by you:")
    assert "pytest -q" in failing and "test_limit" in failing
    assert "ruff check ." in done and "ruff check ." not in failing
    assert (talk.path.read_bytes(), talk.path.stat().st_mtime_ns) == before


def test_what_a_summary_does_not_name_is_told_when_asked_for(place: Path, talk: Transcript) -> None:
    """The files alone, the last touched first; nothing where there is no summary yet, nor a new
    one."""
    for id, name in (("c1", "a.py"), ("c2", "b.py"), ("c3", "c.py")):
        talk.calls((id, "Read", {"file_path": f"/w/{name}"}))
        talk.result(id, "1→row = 1")
    start = event("SessionStart", talk, source="compact")
    assert "not named" not in event_answer(start, dropped=True)
    with talk.path.open("a", encoding="utf-8") as file:
        told = {"trigger": "auto", "preTokens": 9_000}
        line = {"type": "system", "subtype": "compact_boundary", "compactMetadata": told}
        file.write(json.dumps(line) + "\n")
    talk.user("So far b.py was read.", isCompactSummary=True)
    text = json.loads(event_answer(start, dropped=True))["hookSpecificOutput"]["additionalContext"]
    lines = [line for line in text.splitlines() if "not named" in line]
    assert lines == [f"> not named in the summary: /w/{name}.py" for name in ("c", "a")]
    assert "not named" not in event_answer(start)
    talk.calls(("c4", "Read", {"file_path": "/w/d.py"}))
    talk.result("c4", "1→row = 1")
    assert "not named" not in event_answer(start, dropped=True)


def test_nothing_is_told_of_a_session_that_did_nothing(place: Path, talk: Transcript) -> None:
    """Without a transcript, or with one that cannot be read, there is nothing to say."""
    assert compact(talk) == ""
    talk.path.mkdir()
    assert compact(talk) == ""
    for path in (None, 7, "", "a\0b"):
        start = event("SessionStart", talk, source="compact") | {"transcript_path": path}
        assert event_answer(start) == ""


def test_what_was_paged_is_not_taken_in_again(place: Path, talk: Transcript) -> None:
    """A call the hook saw stands once, in its order, with its page; so does all else."""
    worked(talk)
    talk.calls(("big", "Bash", {"command": "make test"}), ("c5", "Bash", {"command": "date"}))
    assert event_answer(bash_event(LOG, id="big", transcript_path=str(talk.path)))
    talk.result("big", "a short form")
    talk.result("c5", "Wednesday")
    for _ in range(2):
        text = compact(talk)
    with loom.open(place / "s1") as ctx:
        calls = ctx._engine.workspace.index.calls
        assert [*calls] == ["c1", "c2", "c3", "c4", "big", "c5"]
    assert "make test" in text and "shell_0001" in text
    assert str(place / "s1" / "outputs") in text
    assert text.count("The limit should be 177.") == 1


def test_lines_of_any_shape(place: Path, talk: Transcript) -> None:
    """What is no line of a session is passed over, and what follows is still taken in."""
    odd: list[Any] = [7, None, [], {}, {"type": "user"}, {"type": "user", "message": 1}]
    odd += [{"type": "assistant", "message": {"id": [], "content": [{"type": "tool_use"}]}}]
    odd += [{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": {}}]}}]
    odd += [{"type": "assistant", "message": {"id": "m", "content": {"a": 1}}}]
    with talk.path.open("w") as file:
        file.write("{\n" + "[" * 5_000 + "\n" + "".join(json.dumps(one) + "\n" for one in odd))
    worked(talk)
    assert "a.py edited" in compact(talk)


def test_of_a_long_past_the_newest_is_taken_in(
    place: Path, talk: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that was long before the hook came costs no more than its newest part."""
    talk.user("The old limit should be 3.")
    worked(talk)
    monkeypatch.setattr(transcript, "MOST", talk.path.stat().st_size - 40)
    text = compact(talk)
    assert "177" in text and "old limit" not in text


def test_what_is_told_has_a_limit(place: Path, talk: Transcript) -> None:
    """However much was done, it takes at most so many tokens, and says what it leaves out."""
    for number in range(300):
        talk.user(f"The limit of part {number} should be {number}, " + "whatever it takes " * 5)
        edit = {"file_path": f"/w/{number}/part.py", "old_string": "a", "new_string": "b"}
        talk.calls((f"c{number}", "Edit", edit), (f"f{number}", "Bash", {"command": f"t{number}"}))
        talk.result(f"c{number}", "updated")
        talk.result(f"f{number}", f"Exit code 1\nFAILED {number}", error=True)
    text = compact(talk)
    with loom.open(place / "s1") as ctx:
        assert 500 < ctx._engine.sizes.count(text) <= TOLD_TOKENS
    assert "not shown here" in text and "on its page" not in text


def test_what_is_pinned_is_told_after_a_compaction(place: Path, talk: Transcript) -> None:
    """A line, and an entry that has left the client's window, as `loom pin` asks for them."""
    worked(talk)
    event_answer(bash_event(LOG))
    with loom.open(place / "s1") as ctx:
        step = ctx.window.history.next_id - 1
    leave_asked_deed(place / "s1", "pin", "never delete the lock")
    leave_asked_deed(place / "s1", "pin", f"step_{step:04d}")
    text = compact(talk)
    assert "> pinned: never delete the lock" in text
    assert f"> pinned step_{step:04d} (all of it: outputs/shell_0001.log):" in text
    assert "line 0 of the build" in text


def test_a_session_that_is_compacted_from_beside(place: Path, talk: Transcript) -> None:
    """A fresh window begins at the next event that opens it."""
    event_answer(bash_event(LOG))
    leave_asked_deed(place / "s1", "compact")
    event_answer(bash_event(LOG, id="toolu_2"))
    with loom.open(place / "s1") as ctx:
        assert ctx.window.sent.generation == 2
