"""The example of a loop with file tools: it stops, is killed, and goes on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import loom
from tests.kit.example_scripts import command, environment, printed, printed_as_shown

WORKSPACE = Path("runs/embed/workspace")
ANSWER = Path("runs/embed/project/answer.txt")


def test_the_second_run_goes_on(tmp_path: Path) -> None:
    """Twelve turns, then the rest: the answer is what chapter 3 said, read back from a page."""
    first, second = printed_as_shown("embed", tmp_path)
    assert "turns in the journal: 0" in first and "run it again" in first
    assert "turns in the journal: 12, calls still open: 1" in second
    assert (tmp_path / ANSWER).read_text() == "Port 8039\n"
    assert "What was the port?" in second  # said only where the line is not in the request
    assert "done: Port 8039" in second
    assert re.search(r"generation ([2-9]|\d\d)", second)  # the window was renewed on the way
    assert "turns in the journal: 20" in printed("embed", tmp_path)


def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    """SIGKILL amid the loop: each chapter is read once, and the answer is right."""
    with subprocess.Popen(
        command("embed", "--turns", "30"),
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if "chapter 5" in line:
                break
        running.kill()
    printed("embed", tmp_path, "--turns", "30")
    assert (tmp_path / ANSWER).read_text() == "Port 8039\n"
    with loom.open(tmp_path / WORKSPACE) as ctx:
        every = [ctx.history.restore(id).reply for id in range(1, ctx.window.history.next_id)]
        calls = [call.arguments for reply in every if reply for call in reply.calls]
    read = [one for one in calls if "chapter_" in one]
    assert len(read) == len({*read}) == 16


def test_the_messages_api(tmp_path: Path) -> None:
    """The same loop by Anthropic's API, streamed."""
    printed("embed", tmp_path, "--api", "anthropic", "--turns", "30")
    assert (tmp_path / ANSWER).read_text() == "Port 8039\n"
