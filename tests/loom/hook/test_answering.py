"""What a hook answers: large results short, in their tool's shape, and all else with nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.hook import answering, sessions
from loom.hook.answering import ABOVE, event_answer, log_error
from tests.kit.cases import all_cases
from tests.kit.hook_events import BASH, LOG, bash_event, tool_event

Answer = Callable[..., Any]
Ran = Callable[[Any], subprocess.CompletedProcess[bytes]]


def page_of(text: str) -> Path:
    """The page a short form names."""
    return Path(text.partition(" characters are in ")[2].partition("; read it")[0])


def replaced(event: dict[str, Any]) -> Any:
    """What an event's result is replaced by."""
    return json.loads(event_answer(event))["hookSpecificOutput"]["updatedToolOutput"]


def test_a_small_result_passes(bash: Answer, place: Path) -> None:
    """Up to the limit nothing is printed and nothing is made."""
    assert bash("ok") is None
    assert bash("x" * ABOVE) is None
    assert not place.exists()


def test_a_small_result_waits_for_no_engine(place: Path) -> None:
    """Neither the engine nor what it needs is imported for it."""
    code = (
        "import sys\nfrom loom.hook.answering import answer_event\nanswer_event()\n"
        "names = ('loom.session', 'loom.context', 'loom_paging', 'msgspec', 'numpy')\n"
        "print([name for name in names if name in sys.modules])"
    )
    given = json.dumps(bash_event("ok")).encode()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, env=env, check=True
    )
    assert done.stdout.decode().strip() == "[]"


@all_cases(
    "more, command, told",
    [
        ({}, "make test", "fails"),  # what it printed says so
        ({"interrupted": True}, "./build.sh", "fails"),
        ({"is_error": True}, "./build.sh", "fails"),
        ({"exitCode": 2}, "./build.sh", "fails (exit 2)"),
        ({"exitCode": 0, "interrupted": False}, "cat log", "ok"),
    ],
)
def test_a_command_that_failed_is_told_as_one(
    place: Path, more: dict[str, Any], command: str, told: str
) -> None:
    """By what the event says of it, and where that is nothing by what it printed."""
    log = "".join(f"test_{n} passed\n" for n in range(5_000)) + "test_5000 FAILED: expected 177\n"
    event = bash_event(
        log, "toolu_" + str(abs(hash((told, *more)))), tool_input={"command": command}
    )
    event["tool_response"] |= more
    assert "shell_" in event_answer(event)
    with loom.open(place / "s1") as ctx:
        step = next(iter(ctx.window.history.stream.entries_back))
        assert [one.came for one in step.facts if one.kind == "ran"] == [told]


def test_a_long_output_is_taken_whole_from_the_clients_file(tmp_path: Path, place: Path) -> None:
    """Of a long output the client gives the beginning and a file; the page has all of the file."""
    kept = tmp_path / "s1" / "tool-results" / "b1.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text(LOG)
    more = {"persistedOutputPath": str(kept), "persistedOutputSize": len(LOG)}
    response = {"stdout": LOG[:9_000], "stderr": "", **BASH, **more}
    event = bash_event("", tool_response=response, transcript_path=str(tmp_path / "s1.jsonl"))
    made = replaced(event)
    assert page_of(made["stdout"]).read_text() == LOG
    assert not more.keys() & made.keys()


@all_cases("where", ["elsewhere.txt", "s1/link.txt", "s1/none.txt", "s1/../a.txt"])
def test_a_file_elsewhere_is_not_read(tmp_path: Path, place: Path, where: str) -> None:
    """Only files beside the transcript are, not what a path or a link leads to; then all passes."""
    (tmp_path / "s1").mkdir()
    for name in ("elsewhere.txt", "a.txt"):
        (tmp_path / name).write_text(LOG)
    (tmp_path / "s1" / "link.txt").symlink_to(tmp_path / "a.txt")
    response = {"stdout": LOG, "stderr": "", **BASH, "persistedOutputPath": str(tmp_path / where)}
    event = bash_event("", tool_response=response, transcript_path=str(tmp_path / "s1.jsonl"))
    assert event_answer(event) == "" and not place.exists()


def test_a_file_that_was_read(place: Path) -> None:
    """Its content is replaced, all else of the shape stays, and the numbers are explained."""
    file = {"filePath": "/w/build.log", "content": LOG, "numLines": 2_000, "startLine": 1}
    event = tool_event("Read", {"file_path": "/w/build.log"}, {"type": "text", "file": file})
    made = replaced(event)
    assert made["type"] == "text"
    assert {**made["file"], "content": LOG} == file
    assert "not those of /w/build.log" in made["file"]["content"]
    assert page_of(made["file"]["content"]).read_text() == LOG


def test_a_result_of_mcp(place: Path) -> None:
    """A string becomes a string, blocks of text one block."""
    text = replaced(tool_event("mcp__db__query", {}, LOG))
    assert isinstance(text, str) and page_of(text).read_text() == LOG
    blocks = [{"type": "text", "text": LOG}, {"type": "text", "text": "2 rows"}]
    (block,) = replaced(tool_event("mcp__db__query", {"n": 2}, blocks) | {"tool_use_id": "t2"})
    assert block["type"] == "text" and page_of(block["text"]).read_text() == f"{LOG}\n2 rows"


@all_cases(
    ("tool", "asked", "response"),
    [
        ("Bash", {}, {"stdout": LOG, "stderr": "", "isImage": True}),
        ("Bash", {}, {"stdout": LOG, "stderr": "", "structuredContent": [{}]}),
        ("Bash", {}, {"stdout": 7, "stderr": ""}),
        ("Bash", {}, LOG),
        ("Read", {}, {"type": "image", "file": {"base64": LOG}}),
        ("Read", {}, {"type": "text", "file": {"content": [LOG]}}),
        ("Read", {"offset": 7}, {"type": "text", "file": {"content": LOG}}),
        ("Read", {"limit": 900}, {"type": "text", "file": {"content": LOG}}),
        ("Grep", {}, {"content": LOG}),
        ("mcp__a__b", {}, {"result": LOG}),
        ("mcp__a__b", {}, [{"type": "text", "text": LOG}, {"type": "image", "data": ""}]),
        ("mcp__a__b", {}, [{"type": "text", "text": None}]),
        ("mcp__loom__page_in", {"ref": "read_0001"}, LOG),
        ("mcp__loom__recall", {"query": "x"}, LOG),
        (7, {}, {"stdout": LOG, "stderr": ""}),
    ],
)
def test_what_passes_as_it_is(place: Path, tool: Any, asked: Any, response: Any) -> None:
    """Images, parts that were asked for, pages brought back, and shapes that are not known."""
    assert event_answer(tool_event(tool, asked, response)) == ""
    assert not place.exists()


def test_pages_are_never_made_short_again(place: Path, bash: Answer) -> None:
    """What is read by a page's path, from its folder, or from below the user's home, passes."""
    page = page_of(bash(LOG)["stdout"])
    response = {"type": "text", "file": {"content": LOG}}
    assert event_answer(tool_event("Read", {"file_path": str(page)}, response)) == ""
    for command in (f"cat {page}", f"cd {page.parent} && cat {page.name}"):
        assert bash(LOG, id="t2", tool_input={"command": command}) is None
    assert bash(LOG, id="t2", tool_input={"command": "cat x"}, cwd=str(page.parent)) is None
    assert len([*page.parent.iterdir()]) == 1


def test_a_result_beyond_the_largest_passes(
    bash: Answer, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take longer than a tool call may be held up."""
    monkeypatch.setattr(answering, "LARGEST", 10_000)
    assert bash("word " * 2_001) is None and not place.exists()


@all_cases(
    "given",
    [b"", b"[[[", b"\xff\xfe", b"7", b"[" * 100_000, b'{"hook_event_name": ["PostToolUse"]}',
     b'{"hook_event_name": "PreCompact"}', b'{"hook_event_name": "SessionStart", "session_id": 7}',
     b'{"hook_event_name": "Stop", "session_id": "s1"}'],
    ids=range(9),
)  # fmt: skip
def test_any_input_ends_well(ran: Ran, place: Path, given: bytes) -> None:
    """The exit code is 0 and nothing is printed; what failed is told on stderr and in the log."""
    done = ran(given)
    assert (done.returncode, done.stdout) == (0, b"")
    log = place.parent / "hook.log"
    assert bool(done.stderr) == log.exists()
    assert not log.exists() or log.read_text().endswith(done.stderr.decode())


@all_cases(
    "id", ["../../out", "/tmp/x", "a/b", "..", ".", "a\0b", "ü" * 500, "\ud800", "C:\\x", "-r"]
)
def test_a_session_stays_in_loom_s_folder(place: Path, tmp_path: Path, id: str) -> None:
    """Whatever it is called, its workspace is a folder in that of the hooks."""
    before = {path.name for path in tmp_path.iterdir()}
    page = page_of(replaced(bash_event(LOG, session_id=id))["stdout"])
    assert page.parents[2] == place and page.is_file()
    assert {path.name for path in tmp_path.iterdir()} - before == {"loom"}


def test_a_writer_that_stays_makes_it_pass(
    ran: Ran, bash: Answer, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """While another process has the workspace for long, the result stands as it was, and the log
    says why; afterwards it is shortened again."""
    monkeypatch.setattr(sessions, "WAIT", 0.05)
    held = loom.open(place / "s1", policy=loom.Policy(own_tools=False))
    with held, pytest.raises(loom.StoreLocked) as caught:
        bash(LOG)
    answering.log_error(caught.value)
    assert "StoreLocked" in (place.parent / "hook.log").read_text()
    assert "StoreLocked" in capsys.readouterr().err
    assert bash(LOG) is not None


def test_the_log_begins_anew(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """It does not grow without bound, and an error cannot add lines of its own."""
    monkeypatch.setattr(answering, "LOG_BYTES", 100)
    for number in range(5):
        answering.log_error(ValueError(f"{number}\n\x1b[2J" + "x" * 80))
    assert (place.parent / "hook.log").read_text().count("\n") == 1
    assert "\x1b" not in capsys.readouterr().err


def test_an_error_tells_no_secret(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither on stderr nor in the log."""
    key = "sk-ant-api03-" + "Ab3dE6gH1jK4mN7pQ0rS" * 4 + "-xyzwAA"
    log_error(ValueError(f"cannot read {key}"))
    held = capsys.readouterr().err + (place.parent / "hook.log").read_text()
    assert key not in held and held.count("cannot read") == 2
