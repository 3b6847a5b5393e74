import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import Lock
from tests.kit.cases import all_cases

Run = Callable[..., tuple[int, str, str]]
NAMES = {
    "name", "source", "model", "turns", "steps", "peak", "levels", "cuts", "renewals", "ingested",
    "replied", "sent", "pages", "page_bytes", "reusable", "texts", "restored", "broken", "details",
    "lost", "mended", "notes", "secrets", "seconds", "rho", "error", "lawful", "prices", "loom",
    "plain", "output", "compactions",
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_sessions_here(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No recorded session of this machine's user is found."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_json_has_a_row_for_each_session_and_a_total(run: Run, recorded: Path) -> None:
    """Two sessions give two rows of one shape, and a total that is their sum."""
    code, out, err = run("replay", recorded, "--window", "6000", "--json")
    told = json.loads(out)
    sessions, total = told["sessions"], told["total"]
    assert (code, err) == (0, "")
    assert [one["name"] for one in sessions] == ["long", "short"]
    assert all(set(one) == NAMES for one in sessions)
    for name in ("turns", "cuts", "renewals", "ingested", "sent", "pages", "texts", "restored"):
        assert total[name] == sum(one[name] for one in sessions), name
    assert total["peak"] == max(one["peak"] for one in sessions)


def test_a_replay_counts_what_it_sees(run: Run, recorded: Path) -> None:
    """A turn for each reply and one after the last; everything comes back; no law is broken."""
    _, out, _ = run("replay", recorded / "long.jsonl", "--window", "6000", "--json")
    (one,) = json.loads(out)["sessions"]
    assert (one["steps"], one["turns"], len(one["rho"])) == (61, 62, 62)
    assert one["texts"] == one["restored"] == 1 + 61 + 60
    assert one["cuts"] > 0 and sum(one["levels"].values()) > 0
    assert 0 < one["peak"] <= 1.0 and one["sent"] > one["ingested"] > 0
    assert (one["broken"], one["lawful"], one["error"]) == ({}, True, "")


def test_ingested_tokens_do_not_depend_on_the_window(run: Run, recorded: Path) -> None:
    """What goes in is the same in every window; what is sent is more in a larger one."""
    told = {}
    for window in ("6000", "128000"):
        _, out, _ = run("replay", recorded / "long.jsonl", "--window", window, "--json")
        (told[window],) = json.loads(out)["sessions"]
    assert told["6000"]["ingested"] == told["128000"]["ingested"]
    assert told["6000"]["sent"] < told["128000"]["sent"]
    assert told["128000"]["cuts"] == 0


def test_the_eager_preset_lowers_step_by_step(run: Run, recorded: Path) -> None:
    """With `--preset eager` the step level fires."""
    given = ("--window", "8192", "--preset", "eager", "--json")
    _, out, _ = run("replay", recorded / "long.jsonl", *given)
    assert json.loads(out)["total"]["levels"]["step"] > 0


def test_plain_output_is_lines_of_at_most_eighty_columns(run: Run, recorded: Path) -> None:
    """Off a terminal: no control characters, no progress bar; verdict, table and plots."""
    code, out, err = run("replay", recorded, "--window", "6000")
    assert (code, err) == (0, "")
    assert all(len(text) <= 80 and text.isprintable() for text in out.splitlines())
    for word in ("long: ρ, how full", "input cost", "without Loom", "every law kept", "total"):
        assert word in out, word


def test_top_and_replay_show_the_same_reuse(run: Run, recorded: Path, tmp_path: Path) -> None:
    """The share of a replay is that of its kept workspace, whatever was cut and renewed."""
    given = ("replay", recorded, "--window", "6000", "--out", tmp_path, "--json")
    told = json.loads(run(*given)[1])
    for one in told["sessions"]:
        seen = json.loads(run("top", tmp_path / one["name"], "--once", "--json")[1])
        assert seen["reuse"] == one["reusable"] and 0 < one["reusable"] < 1
    assert told["sessions"][0]["cuts"] > 0


def test_out_keeps_a_workspace_for_each_session(run: Run, recorded: Path, tmp_path: Path) -> None:
    """Each session's workspace is kept under its name and can be read."""
    code, _, _ = run("replay", recorded, "--out", tmp_path / "kept", "--json")
    assert code == 0
    assert sorted(folder.name for folder in (tmp_path / "kept").iterdir()) == ["long", "short"]
    assert run("stat", tmp_path / "kept" / "short")[0] == 0


def test_a_kept_workspace_is_never_replayed_over(run: Run, recorded: Path, tmp_path: Path) -> None:
    """A second replay into the same folder is refused and leaves it as it was."""
    given = ("replay", recorded / "short.jsonl", "--out", tmp_path)
    assert run(*given)[0] == 0
    journal = (tmp_path / "short" / "journal" / "000001.jsonl").read_bytes()
    code, _, err = run(*given)
    assert code == 2 and "holds a workspace already" in err
    assert (tmp_path / "short" / "journal" / "000001.jsonl").read_bytes() == journal


def test_sessions_of_one_name_get_folders_of_their_own(
    run: Run, recorded: Path, tmp_path: Path
) -> None:
    """Two files with sessions of one name are two workspaces."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "short.jsonl").write_bytes((recorded / "short.jsonl").read_bytes())
    assert run("replay", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "kept")[0] == 0
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_a_malformed_line_is_named_and_nothing_is_replayed(
    run: Run, recorded: Path, tmp_path: Path
) -> None:
    """When no file can be read, the error has file and line of the first."""
    good = (recorded / "short.jsonl").read_text("utf-8")
    for name in "bc":
        (tmp_path / f"{name}.jsonl").write_text(good + "{oops\n" + good, "utf-8")
    code, out, err = run("replay", tmp_path, "--out", tmp_path / "kept")
    assert code == 2 and out == "" and not (tmp_path / "kept").exists()
    assert err.startswith("loom: ") and err.count("\n") == 1
    assert f"b.jsonl:{good.count(chr(10)) + 1}:" in err


def test_files_that_cannot_be_read_are_skipped_and_told(
    run: Run, recorded: Path, tmp_path: Path
) -> None:
    """The others of a folder are replayed, before and behind; what was skipped is listed."""
    good = (recorded / "short.jsonl").read_text("utf-8")
    texts = {"a": good, "b": good + "{oops\n" + good, "c": '{"role": 7}', "d": good}
    for name, text in texts.items():
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    given = ("replay", tmp_path, "--window", "6000", "--workers")
    code, out, err = run(*given, "1")
    assert (code, err) == (0, "")
    told = [line for line in out.splitlines() if line.startswith("skipped ")]
    place = f"b.jsonl:{good.count(chr(10)) + 1}: malformed"
    assert len(told) == 2 and place in told[0] and "c.jsonl:1: " in told[1]
    code, out, err = run(*given, "2", "--json")
    held = json.loads(out)
    assert (code, err, [one["name"] for one in held["sessions"]]) == (0, "", ["a", "d"])
    assert [Path(one["source"]).name for one in held["skipped"]] == ["b.jsonl", "c.jsonl"]
    assert all(set(one) == {"source", "line", "why"} for one in held["skipped"])


def test_what_is_no_file_is_skipped_and_told(run: Run, recorded: Path, tmp_path: Path) -> None:
    """A pipe, a device, links to nothing and a folder of such a name, each with its reason."""
    (tmp_path / "a.jsonl").write_bytes((recorded / "short.jsonl").read_bytes())
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    links = {"device": "/dev/zero", "none": "nowhere", "self": "self.jsonl"}
    for name, to in links.items():
        (tmp_path / f"{name}.jsonl").symlink_to(to)
    code, out, err = run("replay", tmp_path, "--window", "6000", "--json")
    told = json.loads(out)
    assert (code, err, [one["name"] for one in told["sessions"]]) == (0, "", ["a"])
    why = {Path(one["source"]).stem: one["why"] for one in told["skipped"]}
    assert set(why) == {"pipe", "folder", *links}
    assert all(reason.startswith("cannot be read: ") for reason in why.values())
    code, _, err = run("replay", tmp_path / "pipe.jsonl")
    assert code == 2 and "no plain file" in err


def test_an_error_is_json_too(run: Run, tmp_path: Path) -> None:
    """With `--json` the error and its kind are on stdout, beside the line on stderr."""
    code, out, err = run("replay", tmp_path / "none.jsonl", "--json")
    told = json.loads(out)
    assert code == 2 and set(told) == {"error", "kind"}
    assert told["kind"] == "BadSession" and told["error"] in err


@all_cases(
    ("given", "named"),
    [
        ((), "FILE"),
        (("--window", "x"), "--window"),
        (("--preset", "bold"), "--preset"),
        (("--frob",), "--frob"),
    ],
)
def test_bad_usage_is_exit_2(run: Run, recorded: Path, given: tuple[str, ...], named: str) -> None:
    """A wrong option is one line that names it."""
    files = (recorded,) if given else ()
    code, _, err = run("replay", *files, *given)
    assert code == 2 and named in err and err.count("\n") == 1


def test_a_folder_without_sessions_is_bad_input(run: Run, tmp_path: Path) -> None:
    """Nothing to replay is an error, not an empty table."""
    code, _, err = run("replay", tmp_path)
    assert code == 2 and "no recorded session lies there" in err


def test_a_window_too_small_for_a_history_is_told(run: Run, recorded: Path) -> None:
    """The session is listed as stopped, with the reason, and the exit code is 2."""
    code, out, _ = run("replay", recorded / "short.jsonl", "--window", "400", "--json")
    (one,) = json.loads(out)["sessions"]
    assert code == 2 and "capacity" in one["error"] and one["restored"] == 0


def test_a_locked_workspace_is_left_alone(run: Run, recorded: Path, tmp_path: Path) -> None:
    """Another writer's folder is refused by name."""
    (tmp_path / "short").mkdir()
    lock = Lock(tmp_path / "short")
    lock.acquire()
    code, out, _ = run("replay", recorded / "short.jsonl", "--out", tmp_path, "--json")
    lock.release()
    assert code == 2 and json.loads(out)["kind"] == "StoreLocked"
