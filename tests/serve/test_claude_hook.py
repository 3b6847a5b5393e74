"""`loom hook` in real Claude Code: what the provider is sent, and what the model can read back."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from loom.cli.hook import install_hooks
from tests.kit.scripted_server import said
from tests.serve.clients import Run, claude
from tests.serve.scripts import DONE, compacting, listed, results
from tests.serve.upstream import Recorded, Upstream

NUMBERS = "".join(f"{n}\n" for n in range(1, 40_001))  # 228,894 characters
SEQ = {"command": "seq 1 40000", "description": "Numbers"}
FAILS = {"command": "echo 'E: no such table'; exit 3", "description": "Fails"}
CONTEXT = "SessionStart hook additional context"


@pytest.fixture
def told(agent_home: Path) -> Callable[..., Run]:
    """Claude Code with the hooks in its user's settings, and a Loom folder in the same home."""
    install_hooks(agent_home / ".claude" / "settings.json")
    env = {"LOOM_HOME": str(agent_home / "loom"), "PYTHONPATH": os.pathsep.join(sys.path)}
    return lambda url, prompt, *options: claude(url, agent_home, prompt, *options, **env)


def last_result(request: Recorded) -> str:
    """The text of the newest result a request holds."""
    blocks = [
        block
        for message in listed(request)
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if block.get("type") == "tool_result"
    ]
    content = blocks[-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(str(one.get("text", "")) for one in content)


def page_of(text: str) -> str:
    """The path of the page that a short form names."""
    return text.partition(" characters are in ")[2].partition("; read it")[0]


def calling(*calls: tuple[str, dict[str, Any]]) -> Callable[[Recorded, int], Any]:
    """A model that makes these calls, one a request; {page} is the page of the newest result."""

    def script(request: Recorded, n: int) -> Any:
        done = results(request)
        if done >= len(calls) or compacting(request):
            return DONE
        name, arguments = calls[done]
        page = page_of(last_result(request)) if done else ""
        filled = {
            key: value.replace("{page}", page) if isinstance(value, str) else value
            for key, value in arguments.items()
        }
        return said("Next.", (name, filled))

    return script


def contexts(request: Recorded) -> str:
    """The system messages of a request that hold what a hook told at a session's beginning."""
    given = [m for m in listed(request) if m["role"] == "system" and CONTEXT in json.dumps(m)]
    return "\n".join(json.dumps(m, ensure_ascii=False) for m in given)


def test_a_large_output_is_sent_short_and_read_back(
    told: Callable[..., Run], agent_home: Path
) -> None:
    """200 kB of Bash are sent as a short form; the page is read by its path, by Read and by cat."""
    read = ("Read", {"file_path": "{page}", "offset": 39_990, "limit": 10})
    cat = ("Bash", {"command": f"sed -n 7000,7002p {agent_home}/loom/hook/*/outputs/shell_0001*"})
    script = calling(("Bash", SEQ), read, cat)
    with Upstream(script) as up:
        run = told(up.url, "Count.")
    assert run.lines[0]["result"] == DONE and not up.faults
    short, lines, again = (last_result(request) for request in up.asked[1:4])
    assert len(short) < 4_000 < len(NUMBERS)
    assert f"all {len(NUMBERS):,} characters" in short
    assert "persisted-output" not in short
    page = Path(page_of(short))
    assert page.is_relative_to(agent_home / "loom" / "hook" / run.lines[0]["session_id"])
    assert page.read_text() == NUMBERS or page.read_text() == NUMBERS[:-1]
    assert "39995" in lines and "Loom shortened" not in lines
    assert again.split() == ["7000", "7001", "7002"]


def test_small_results_and_failures_are_sent_as_they_are(told: Callable[..., Run]) -> None:
    """What is small, and what a failing command printed, reach the model unchanged."""
    fails = {"command": "seq 1 2000; exit 3", "description": "Fails"}
    with Upstream(calling(("Bash", {"command": "echo hello"}), ("Bash", fails))) as up:
        told(up.url, "Say hello.")
    assert last_result(up.asked[1]) == "hello"
    assert last_result(up.asked[2]).splitlines() == ["Exit code 3", *map(str, range(1, 2_001))]


def test_after_a_compaction_and_on_resuming_it_tells_what_it_holds(
    told: Callable[..., Run], agent_home: Path
) -> None:
    """After `/compact` the model is told of files changed, failures and pages, and where they are;
    the resumed session is told where its pages are."""
    work = agent_home / "work"
    write = ("Write", {"file_path": str(work / "made.txt"), "content": "one\n"})
    script = calling(("Bash", SEQ), write, ("Bash", FAILS))
    with Upstream(script) as up:
        name = told(up.url, "Count.").lines[0]["session_id"]
        told(up.url, "/compact", "--resume", name)
        told(up.url, "Go on.", "--resume", name)
    held = agent_home / "loom" / "hook" / name / "outputs"
    compaction = next(request for request in up.asked if compacting(request))
    assert "holds one result of this session whole" in json.dumps(listed(compaction)[-1])
    after = [request for request in up.asked if not compacting(request)][4]
    assert results(after) == 0
    said_now = contexts(after)
    assert "kept this of the conversation before it was compacted" in said_now
    assert "made.txt" in said_now and "no such table" in said_now
    assert str(held) in said_now
    # Once with the compaction, and once for the session that was resumed after it.
    assert said_now.count("holds one result of this session whole") == 2
    users = json.dumps([m for m in listed(after) if m["role"] == "user"])
    assert "kept this of the conversation" not in users
    assert [*held.glob("shell_0001*")]
