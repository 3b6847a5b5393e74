"""`loom export` and `loom import`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import loom
from loom.session.archive.workspace import Workspace
from tests.kit.cases import all_cases
from tests.kit.journal import files
from tests.kit.step import step
from tests.loom.cli.conftest import Run

FORMATS = ("openai", "responses", "anthropic", "gemini")


def test_out_and_in(run: Run, replayed: Path, tmp_path: Path) -> None:
    """One line tells of each; the files are equal, and the workspace is whole."""
    code, out, err = run("export", replayed, tmp_path / "a.tar")
    assert (code, err) == (0, "") and out.startswith("exported ") and len(out.splitlines()) == 1
    told = json.loads(run("export", replayed, tmp_path / "b.tar", "--json")[1])
    assert told["place"] == str(tmp_path / "b.tar") and told["problems"] == []
    code, out, err = run("import", tmp_path / "a.tar", tmp_path / "w")
    assert (code, err) == (0, "") and out.startswith("imported ")
    kept = {name: data for name, data in files(replayed).items() if "index.db" not in name}
    kept.pop("LOCK", None)
    made = files(tmp_path / "w")
    made.pop("checkpoints/extent")  # of the copy's own
    assert made == kept
    assert run("check", tmp_path / "w")[0] == 0


def test_what_lies_below_and_what_was_let_go_is_told(run: Run, tmp_path: Path) -> None:
    """A line for agents and forks, one for pages that were let go; what a session leaves out."""
    terse = loom.Policy(
        tuning=loom.Tuning(index_tokens=0, index_share=0.0, digest_tokens=0, digest_share=0.0)
    )
    with loom.open(tmp_path / "w", window=8_192, policy=terse, durable=False) as ctx:
        ctx.user("Go on.")
        for number in range(3):
            step(ctx, "row\n" * 400 + str(number), tool="Read", args='{"path": "a.py"}')
        step(ctx)
        ctx.renew(0)
        ctx.agents.fork("copy").close()
        ctx.agents.spawn("Look.", name="one").close()
    run("gc", tmp_path / "w", "--ttl", "read=0", "--horizon", "0", "--yes")
    gone = len(Workspace.at_path(tmp_path / "w", write=False).pager.retired)
    assert gone
    for command, source, place in (("export", "w", "a.tar"), ("import", "a.tar", "again")):
        code, out, err = run(command, tmp_path / source, tmp_path / place)
        assert (code, err) == (0, "")
        told = out.splitlines()
        assert told[1:] == [
            "1 agent and 1 fork below it came along",
            f"{gone} page{'s' * (gone > 1)} had been let go before: their bytes are nowhere",
        ]
    code, _, err = run("export", tmp_path / "w", tmp_path / "s.json", "--format", "openai")
    assert code == 0 and f"pages that were let go: {gone}" in err
    assert "agents and forks below are left out: 2" in err
    _, out, _ = run("import", tmp_path / "s.json", tmp_path / "fed", "--json")
    made = Workspace.at_path(tmp_path / "fed", write=False).index.requests
    assert json.loads(out)["requests"] == len(made)


@all_cases("format", FORMATS)
def test_a_session_in_a_providers_shape(
    run: Run, replayed: Path, tmp_path: Path, format: str
) -> None:
    """It is imported into another window; as many steps, and each text of the user's."""
    code, out, err = run("export", replayed, tmp_path / "s.json", "--format", format)
    assert (code, err) == (0, "") and "messages" in out
    code, out, err = run("import", tmp_path / "s.json", tmp_path / "w", "--window", "9000")
    assert (code, err) == (0, "") and out.startswith("imported s to ")
    one, two = (Workspace.at_path(at, write=False) for at in (replayed, tmp_path / "w"))
    assert (two.index.steps, two.index.turns) == (one.index.steps, one.index.turns)
    assert two.window.limits.window == 9_000
    assert run("check", tmp_path / "w")[0] == 0
    code, out, _ = run("replay", tmp_path / "s.json", "--window", "9000", "--json")
    assert code == 0 and json.loads(out)["total"]["steps"] == one.index.steps


@all_cases("kind", ["nowhere", "damaged", "taken", "none", "window", "many", "pipe", "format"])
def test_what_is_refused(run: Run, workspace: Path, tmp_path: Path, kind: str) -> None:
    """Exit 2 with one line that says why; nothing is made."""
    given: dict[str, tuple[str | Path, ...]] = {
        "nowhere": ("export", workspace, tmp_path / "none" / "a.tar"),
        "damaged": ("export", workspace, tmp_path / "new"),
        "taken": ("export", workspace, tmp_path / "taken"),
        "none": ("export", tmp_path, tmp_path / "new"),
        "window": ("import", tmp_path / "a.tar", tmp_path / "new", "--window", "9000"),
        "many": ("import", tmp_path / "many.json", tmp_path / "new"),
        "pipe": ("import", tmp_path / "pipe", tmp_path / "new"),
        "format": ("export", workspace, tmp_path / "new", "--format", "morse"),
    }
    (tmp_path / "taken").write_text("mine")
    run("export", workspace, tmp_path / "a.tar")
    talk = [{"role": "user", "content": "Go."}]
    (tmp_path / "many.json").write_text(json.dumps([{"messages": talk}, {"messages": talk}]))
    if kind == "pipe":
        os.mkfifo(tmp_path / "pipe")
    if kind == "damaged":
        next((workspace / "outputs").iterdir()).write_text("something else")
    before = sorted(path.name for path in tmp_path.iterdir())
    code, _, err = run(*given[kind])
    assert code == (1 if kind == "damaged" else 2) and len(err.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert "export-" not in err and (kind != "nowhere" or str(tmp_path / "none") in err)
    if kind == "damaged":
        code, _, err = run(*given[kind], "--as-is")
        assert code == 0 and "taken as it is" in err
