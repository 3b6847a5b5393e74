import json
from collections.abc import Callable
from pathlib import Path

import loom
from loom.cli.output import bytes_text
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


def test_a_whole_workspace_has_nothing_to_report(run: Run, replayed: Path) -> None:
    """No problem, every entry counted, exit 0. `check`, `stat` and `top` of one folder say one size
    of its pages; check says beside it what it read of pages and snapshots together."""
    code, out, _ = run("check", replayed, "--json")
    told = json.loads(out)
    assert code == 0 and told["ok"] and told["problems"] == []
    journal = "".join(path.read_text("utf-8") for path in (replayed / "journal").glob("*.jsonl"))
    assert told["entries"] == 62 + journal.count('"what":{"type":"user"') and told["pages"] > 0
    for words in (("stat", replayed), ("top", replayed, "--once")):
        assert json.loads(run(*words, "--json")[1])["page_bytes"] == told["page_bytes"]
    assert 0 < told["page_bytes"] < told["bytes"]
    out = run("check", replayed)[1]
    assert f"pages ({bytes_text(told['page_bytes'])})" in out
    assert f"{bytes_text(told['bytes'])} read of all" in out
    assert f", {bytes_text(told['page_bytes'])}" in run("stat", replayed)[1]


def _altered(workspace: Path) -> None:
    (workspace / "outputs" / "read_0001.txt").write_text("other", "utf-8")


def _gone(workspace: Path) -> None:
    (workspace / "outputs" / "read_0001.txt").unlink()


def _line(workspace: Path) -> None:
    journal = workspace / "journal" / "000001.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:-4] + b"#" + lines[2][-3:]
    journal.write_bytes(b"".join(lines))


def _segment(workspace: Path) -> None:
    (workspace / "journal" / "000001.jsonl").rename(workspace / "journal" / "000003.jsonl")


@all_cases(
    ("damage", "where"),
    [
        (_altered, {"outputs/read_0001.txt", "entry 2"}),
        (_gone, {"outputs/read_0001.txt", "entry 2"}),
        (_line, {"journal/000001.jsonl, line 3"}),
        (_segment, {"journal/000001.jsonl"}),
    ],
)
def test_damage_is_named_with_its_place(
    run: Run, workspace: Path, damage: Callable[[Path], None], where: set[str]
) -> None:
    """Whatever was altered or lost is a problem with its place, an entry that cannot come back too,
    and the exit code is 1. No window is folded from half a journal."""
    damage(workspace)
    code, out, err = run("check", workspace, "--json")
    assert (code, err) == (1, "")
    assert where <= {problem["where"] for problem in json.loads(out)["problems"]}
    code, out, err = run("check", workspace)
    assert (code, err) == (1, "") and all(place in out for place in where)
    if damage is _line:
        for words in (("stat", workspace), ("top", workspace, "--once")):
            code, out, err = run(*words)
            assert (code, out) == (1, "") and "000001.jsonl, line 3" in err


def test_a_torn_tail_is_a_note(run: Run, workspace: Path) -> None:
    """What a crash leaves at the end of the journal is told and is no problem."""
    journal = max((workspace / "journal").iterdir())
    with journal.open("ab") as file:
        file.write(b'{"crc":"0000')
    code, out, _ = run("check", workspace)
    assert code == 0 and "note: " in out and "torn" in out


def test_agents_that_lie_elsewhere(run: Run, workspace: Path, tmp_path: Path) -> None:
    """A link in the place of the folder of forks: what it leads to is no part of it."""
    (tmp_path / "elsewhere").mkdir()
    (workspace / "forks").symlink_to(tmp_path / "elsewhere")
    code, out, _ = run("check", workspace)
    assert code == 1 and "forks: a link: what it leads to" in out


def test_half_a_fork_is_no_agent(run: Run, tmp_path: Path) -> None:
    """What a fork that was cut short left is not looked at, and goes when the agent is opened."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("Go.")
        ctx.turn()
        ctx.agents.fork("whole").close()
    half = tmp_path / "w/forks/.tmp-half"
    (half / "journal").mkdir(parents=True)
    (half / "journal/000001.jsonl").write_text("no commit\n")
    (half.parent / ".tmp-link").symlink_to(tmp_path)
    code, out, _ = run("check", tmp_path / "w")
    assert code == 0 and "2 workspaces: all whole" in out
    assert run("repair", tmp_path / "w", tmp_path / "again")[0] == 0
    assert [one.name for one in (tmp_path / "again/forks").iterdir()] == ["whole"]
    loom.open(tmp_path / "w", durable=False).close()
    assert [one.name for one in (tmp_path / "w/forks").iterdir()] == ["whole"]
