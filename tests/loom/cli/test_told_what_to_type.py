"""What a command that cannot go on says: words to type, and why nothing is there."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import loom
from loom.cli.doctor.wiring import Wiring
from loom.home import record_project
from loom.hook.status import answer
from tests.loom.cli.conftest import Run


@pytest.mark.parametrize("given", [(), ("1",)])
def test_diff_of_no_requests(run: Run, tmp_path: Path, given: tuple[str, ...]) -> None:
    """Without two numbers it says which there are, and a command that works where there are two."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        for word in ("one", "two", "three"):
            ctx.user(word)
            ctx.turn()
            assert word != "one" or "there are 1" in run("diff", folder)[2]
    code, out, err = run("diff", folder, *given)
    assert (code, out) == (2, "") and "from 1 to 3" in err
    typed = err.partition("`loom ")[2].partition("`")[0].split()
    assert typed == ["diff", str(folder), "2", "3"] and run(*typed)[0] == 0


def held(tmp_path: Path, project: Path) -> Path:
    """A session of the hook in a state folder, of a project, with a page."""
    place = tmp_path / "state" / "hook" / "s1"
    place.parent.mkdir(parents=True)
    with loom.open(place, window=20_000) as ctx:
        ctx.user("word " * 20_000)
    record_project(place, str(project))
    return place


@pytest.mark.parametrize("told", [{}, {"workspace": {"project_dir": "PROJECT"}}, {"cwd": None}])
def test_a_status_line_without_a_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    told: dict[str, object],
) -> None:
    """The folder is that of the workspace that is told, else of the command itself."""
    project = tmp_path / "p"
    project.mkdir()
    held(tmp_path, project)
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(tmp_path if "workspace" in told else project)
    event = json.dumps({"session_id": "s1", **told}).replace("PROJECT", str(project))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(event.encode())))
    assert answer() == 0
    assert capsys.readouterr().out == "loom · 1 page\n"


def test_doctor_finds_a_proxy_a_client_does_not_ask(tmp_path: Path) -> None:
    """A client without an address of one is told of the proxy that runs beside it."""
    pytest.importorskip("uvicorn")
    from tests.serve.proxied import proxy

    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text("{}")
    with proxy(tmp_path / "ws", "http://127.0.0.1:9") as url:
        port = int(url.rpartition(":")[2])
        found = [*Wiring(tmp_path, tmp_path, {"PATH": ""}, port, "loom").findings()]
    one = next(each for each in found if each.name == "Claude Code proxy")
    assert "none" not in one.told and f"one runs at http://127.0.0.1:{port}" in one.told
