import json
from collections.abc import Callable
from pathlib import Path

import loom
from tests.kit.journal import files

Run = Callable[..., tuple[int, str, str]]


def test_a_whole_workspace_is_copied(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Nothing is lost, exit 0, and nothing is changed in the old one."""
    before = files(workspace)
    code, out, err = run("repair", workspace, tmp_path / "new")
    assert (code, err) == (0, "") and "nothing was lost" in out
    assert {name: data for name, data in files(workspace).items() if name != "LOCK"} == {
        name: data for name, data in before.items() if name != "LOCK"
    }
    assert run("check", tmp_path / "new")[0] == 0


def test_what_is_lost_is_told_with_its_place(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Segment, line and commit; page, entry and what it was made of; exit 1."""
    journal = workspace / "journal" / "000001.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[6] = lines[6][:-4] + b"#" + lines[6][-3:]
    journal.write_bytes(b"".join(lines))
    (workspace / "outputs" / "read_0001.txt").write_text("other", "utf-8")
    code, out, err = run("repair", workspace, tmp_path / "new")
    assert (code, err) == (1, "")
    assert "journal/000001.jsonl, line 7" in out and "commit 7" in out
    assert "outputs/read_0001.txt is damaged (of step_0002 src/part_0.py)" in out
    code, out, _ = run("repair", workspace, tmp_path / "again", "--json")
    told = json.loads(out)
    assert code == 1 and told["lost"] and told["counts"]["pages"] == 1
    assert told["workspaces"][0]["missing"] == [7]
    assert run("check", tmp_path / "new")[0] == 0


def test_a_folder_with_anything_in_it_is_refused(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Nothing is written over; nor into the damaged workspace, nor from one that is open."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine").write_text("mine", "utf-8")
    before = files(tmp_path / "new")
    for to in (tmp_path / "new", workspace / "new", workspace):
        code, _, err = run("repair", workspace, to)
        assert code == 2 and err.startswith("loom: ")
    assert files(tmp_path / "new") == before
    with loom.open(workspace, durable=False):
        code, _, err = run("repair", workspace, tmp_path / "other")
    assert code == 2 and "in use" in err and not (tmp_path / "other").exists()
    assert run("repair", tmp_path / "none", tmp_path / "other")[0] == 2
