"""The programs of `examples/`, run as a reader does: each prints what docs/examples.md shows, and
does what it claims; those with a loop go on where they were killed."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import loom
from loom.inputs import ToolCall
from tests.kit.example_scripts import (
    BLOCKS,
    EXAMPLES,
    command,
    environment,
    printed,
    printed_as_shown,
)
from tests.kit.scripted_server import ScriptedServer
from tests.kit.steps import stepping

ANSWER = Path("runs/embed/project/answer.txt")
READS = [("", ("read_file", {"path": f"handbook/chapter_{at:02}.txt"})) for at in range(1, 13)]
WRITE = ("", ("write_file", {"path": "answer.txt", "text": "Port 8039\n"}))


def test_every_script_is_on_the_page() -> None:
    """Each module of `examples/` that is a program has its block, and no block another name."""
    programs = {
        path.stem
        for path in EXAMPLES.glob("*.py")
        if 'if __name__ == "__main__":' in path.read_text("utf-8")
    }
    assert {runs[0][0] for runs in BLOCKS} == programs and len(BLOCKS) == len(programs) == 6


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Iterator[str]]:
    """The lines an example prints, which is killed (SIGKILL) at the end of the block."""
    with subprocess.Popen(
        command(*words), cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout
        process.kill()


def calls(folder: Path) -> list[ToolCall]:
    """The calls that were made in a workspace, in their order."""
    with loom.open(folder) as ctx:
        every = [ctx.history.restore(id).reply for id in range(1, ctx.window.history.next_id)]
        return [call for reply in every if reply for call in reply.calls]


def test_embed(tmp_path: Path) -> None:
    """Twelve turns, then the rest: the answer is what chapter 3 said, read back from a page."""
    first, second = printed_as_shown("embed", tmp_path)
    assert "turns in the journal: 0" in first and "run it again" in first
    assert "turns in the journal: 12, calls still open: 1" in second
    assert (tmp_path / ANSWER).read_text() == "Port 8039\n"
    assert "What was the port?" in second  # said only where the line is not in the request
    full = [float(told) for told in re.findall(r"ρ ([\d.]+)", second)]
    assert any(one > two for one, two in pairwise(full))  # room was made on the way
    assert "turns in the journal: 20" in printed("embed", tmp_path)


def test_embed_is_killed(tmp_path: Path) -> None:
    """Amid the loop: each chapter is read once, and the answer is right."""
    with running(tmp_path, "embed", "--turns", "30") as lines:
        next(line for line in lines if "chapter 5" in line)
    printed("embed", tmp_path, "--turns", "30")
    assert (tmp_path / ANSWER).read_text() == "Port 8039\n"
    made = [call.arguments for call in calls(tmp_path / "runs/embed/workspace")]
    read = [one for one in made if "chapter_" in one]
    assert len(read) == len({*read}) == 16


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_embed_at_a_real_endpoint(tmp_path: Path, api: str) -> None:
    """The loop asks what `--base-url` names, which refuses what is not lawful; a request that is
    too long is made again, shorter."""
    with ScriptedServer(stepping([*READS, WRITE]), limit=6_500) as server:
        given = ("--base-url", server.v1, "--model", "gpt-4.1", "--api", api, "--turns", "40")
        said = printed("embed", tmp_path, *given)
        assert said.endswith("done: Port 8039\n")
        assert server.faults == []
        assert server.refused and len(server.accepted) == 14


def test_agents_md_project(tmp_path: Path) -> None:
    """The folder's guide joins when a file there is read; an edit counts at the next turn."""
    [said] = printed_as_shown("agents_md_project", tmp_path)
    root, joined, edited, _ = said.strip().split("\n\n")
    assert "firmware/AGENTS.md:3" not in root
    assert "firmware/AGENTS.md:3  Indent with tabs.  (sent)" in joined
    assert "firmware/AGENTS.md:3  Indent with two spaces.  (sent)" in edited
    assert printed("agents_md_project", tmp_path) == said


def test_harness(tmp_path: Path) -> None:
    """Loom has all forty facts in the request or a call away; a tail has lost the older ones."""
    [said] = printed_as_shown("harness", tmp_path)
    rows = [line.split() for line in said.splitlines() if line.startswith(("loom", "tail"))]
    assert [(name, window) for name, window, *_ in rows] == [
        ("loom", "8,192"), ("tail", "8,192"), ("loom", "16,384"), ("tail", "16,384"),
    ]  # fmt: skip
    for name, _, here, near, gone, marks in rows:
        assert int(here) + int(near) + int(gone) == len(marks) == 40
        assert (marks.count("#"), marks.count("+")) == (int(here), int(near))
        assert (int(gone) == 0) is (name == "loom")


def test_langchain_agent(tmp_path: Path) -> None:
    """Ten parts, then ten more in the same thread; each window is within its room."""
    for module in ("langchain", "langchain_openai", "langgraph.checkpoint.sqlite"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    for run, said in enumerate(printed_as_shown("langchain_agent", tmp_path), 1):
        assert f"answer: Parts {run * 10 - 9} to {run * 10} are read." in said
        assert f"messages in the thread: {22 * run}, requests: {11 * run}\n" in said
        [now] = re.findall(r"the window now: (\S+) of (\S+) tokens", said)
        used, room = (int(one.replace(",", "")) for one in now)
        assert used <= room < 8_192


def test_researchers(tmp_path: Path) -> None:
    """Three results, joined once: two are done, one has made the four replies of its budget; the
    second run asks nobody again."""
    first, second = printed_as_shown("researchers", tmp_path)
    lines = first.splitlines()
    told = {one for one in lines if one.endswith((": done", ": failed"))}
    assert told == {"paging: done", "caching: done", "recall: failed"}
    assert second.splitlines() == lines[-4:]
    made = calls(tmp_path / "runs/researchers/agents/recall")
    assert [json.loads(call.arguments)["number"] for call in made] == [1, 2, 3, 4]


def test_researchers_are_killed(tmp_path: Path) -> None:
    """When the first result is joined: the others still come, and so does the answer."""
    with running(tmp_path, "researchers") as lines:
        next(lines)
    assert "recall: Place 1 is searched." in printed("researchers", tmp_path)


def test_through_the_proxy(tmp_path: Path) -> None:
    """All parts are read; the largest request is less than half of the list; nothing is lost."""
    pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
    for run, said in enumerate(printed_as_shown("through_the_proxy", tmp_path), 1):
        listed, sent = (int(one.replace(",", "")) for one in re.findall(r"(\S+) characters", said))
        assert "42 messages" in said and sent < listed * 0.5
        assert re.search(rf"workspaces in \S+: {run}\n", said)
        assert "the newest: 21 requests" in said
        assert "recalled: 1.57 wind 39" in said
