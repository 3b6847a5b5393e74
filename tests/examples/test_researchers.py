"""The example of agents below an agent: three results, joined once, within budgets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import loom
from tests.kit.example_scripts import command, environment, printed, printed_as_shown


def test_three_are_joined_once(tmp_path: Path) -> None:
    """Two are done, one runs out of steps; the second run asks nobody again."""
    first, second = printed_as_shown("researchers", tmp_path)
    lines = first.splitlines()
    told = {one for one in lines if one.endswith((": done", ": failed"))}
    assert told == {"paging: done", "caching: done", "recall: failed"}
    assert "  Pages rest on disk. A page comes back byte for byte." in lines
    assert "  why: " in first and "steps" in first
    answer = "The editor's answer, after 2 turns of its own:"
    report = [answer, "paging: Pages rest on disk.",
              "caching: A stable beginning of a request is cheap.",
              "recall: Place 1 is searched."]  # fmt: skip
    assert lines[-4:] == report
    assert second.splitlines() == report


def test_a_budget_holds(tmp_path: Path) -> None:
    """The one that failed has made four replies, as its budget says, and no more."""
    printed("researchers", tmp_path)
    with loom.open(tmp_path / "runs/researchers/agents/recall") as child:
        every = [child.history.restore(id).reply for id in range(1, child.window.history.next_id)]
    numbers = [json.loads(call.arguments)["number"] for one in every if one for call in one.calls]
    assert numbers == [1, 2, 3, 4]


def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    """SIGKILL when the first result is joined: the others still come, and so does the answer."""
    with subprocess.Popen(
        command("researchers"),
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.kill()
    assert "recall: Place 1 is searched." in printed("researchers", tmp_path)
