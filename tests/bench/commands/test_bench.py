"""`loom bench` as it is typed: lists, runs, comparisons, recorded sessions."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.cli import main
from loom.report.html_page import is_report
from loom_bench.asked import known_parts
from loom_bench.report.rows import BenchReport
from loom_bench.strategies import DEFAULT
from tests.kit.bench_parts import small_scenario
from tests.kit.bench_rows import report_made, sums_of
from tests.kit.cases import all_cases, each_value
from tests.kit.command import COMMAND
from tests.kit.example_scripts import ROOT
from tests.kit.labelled import labelled_session
from tests.kit.recorded_folder import recorded as recorded

ODD = """
def bad(script):
    script.fact("x", "Which?", script.user("y"))


def unlawful(script):
    script.take([{"role": "tool", "tool_call_id": "a", "content": "x"}])


def leaves(script):
    raise SystemExit("gone")


class Odd:
    columns = ()

    def open(self, session):
        return 1 / 0


odd = Odd()
"""


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A file with a scenario, strategies and a judge."""
    return small_scenario(tmp_path)


def ran(parts: Path, *more: str | Path) -> list[str]:
    """The command line that runs the small scenario once, at a window it presses."""
    seeds = [] if "--seeds" in more else ["--seeds", "1"]
    given = ["bench", "run", f"{parts}:small", "--window", "4096", *seeds, *more]
    return [str(one) for one in given]


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """What was printed, as JSON."""
    return json.loads(capsys.readouterr().out)


def test_a_list_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    """Each scenario, strategy, judge and column, and within 80 columns."""
    assert main(["bench", "list"]) == 0
    out = capsys.readouterr().out
    found = known_parts()
    for one in (*found.scenarios, *found.strategies, *found.judges, *found.columns):
        assert f"  {one.name} " in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["bench", "list", "--json"]) == 0
    assert told(capsys)["scenarios"][0]["name"] == found.scenarios[0].name


def test_a_list_says_of_columns_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Each row of its table, the scored columns, word for word; none ends in empty brackets."""
    assert main(["bench", "list"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    page = (ROOT / "docs" / "bench.md").read_text("utf-8")
    section = page[page.index("## Reading the table") : page.index("## A strategy of your own")]
    rows = re.findall(r"^\| `([^`]+)` \|(?: \w+ \|)? (?:scored: )?(.*) \|$", section, re.M)
    scored = ["kept", "rules", "current", "failures", "orders", "answers"]
    assert [name for name, _ in rows] == scored
    for name, about in rows:
        assert f" {name} {about.replace('`', '')}" in said
    assert "()" not in said


def test_help_counts_the_strategies_that_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Loom's policies, the ways of harnesses, the ladder: as many as run where none is named."""
    assert main(["bench", "run", "--help"]) == 0
    out = " ".join(re.sub("[^A-Za-z ]", " ", capsys.readouterr().out).split())
    assert "two policies five ways of harnesses and a plain ladder" in out
    assert len(DEFAULT) == 2 + 5 + 1


def test_a_run_is_told(parts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranks, the columns when asked for, and what failed, where and by what: exit code 1. As JSON
    figures by window; one's own judge adds its column."""
    names = ("--strategy", "tail", "--strategy", "loom", "--strategy", f"{parts}:failing")
    assert main(ran(parts, *names, "--explain")) == 1
    out = capsys.readouterr().out
    assert "window 4,096" in out and " 1 loom" in out and " 2 tail" in out
    assert "mean of the scored columns" in out and max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert "1 run of 3 failed" in said and "RuntimeError: no more" in said
    own = ("--strategy", f"{parts}:newest", "--judge", f"{parts}:counting", "--judge", "facts")
    assert main(ran(parts, *own, "--json", "--held-out")) == 0
    found = told(capsys)
    [row] = found["windows"]["4096"]
    assert row["strategy"] == f"{parts}:newest" and row["figures"]["messages"] > 1
    assert found["plan"]["half"] == "held_out" and found["runs"] == 1 and not found["failed"]


@all_cases(
    ("given", "why"),
    [
        (["run", "nothing"], "scenario nothing: there are"),
        (["run", "--strategy", "nothing"], "strategy nothing: there are"),
        (["run", "--judge", "nothing"], "judge nothing: there are"),
        (["run", "--window", "many"], "give tokens"),
        (["run", "--seeds", "many"], "give how many"),
        (["run", "--workers", "-1"], "give 1 or more"),
        (["run", "none.py:x"], "there is no file none.py"),
        (["compare", "a.json", "b.json"], "a.json"),
        (["replay"], "--latest N or --sessions DIR"),
        (["replay", "--latest", "3"], "give --sessions DIR"),
        (["replay", "--sessions", "none"], "none"),
        (["replay", "--sessions", ".", "--strategy", "nothing"], "strategy nothing"),
    ],
)
def test_what_makes_no_sense_is_exit_code_2(
    given: list[str], why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Nothing is run, and it says what would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))  # with no recorded session
    assert main(["bench", *given]) == 2
    assert why in capsys.readouterr().err


def test_what_raises_is_exit_code_1(
    parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scenario and a judge are told by their names; the rest is told and written."""
    monkeypatch.chdir(tmp_path)
    odd = Path("odd.py")
    odd.write_text(ODD)
    given = ("--judge", "facts", "--also", f"{odd}:odd", "--strategy", "tail", "--faults")
    out = tmp_path / "run.json"
    command = ran(parts, *given, "--out", out)
    command[2:2] = (f"{odd}:bad", f"{odd}:unlawful", f"{odd}:leaves")
    assert main(command) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "bad, seed 1: ValueError: message 0 does not hold 'x'" in said
    assert "1 more, which --json tells" in said and "1 tail" in said
    assert "window 4,096, partial: 1 of 4 sessions" in said and "8443 is lost" in said
    report = BenchReport.read(out)
    assert len(report.rows) == 1 and len(report.broken) == 4
    assert "no provider takes its messages" in report.broken[1]
    assert report.broken[2].endswith("leaves, seed 1: SystemExit: gone")
    assert report.broken[3].startswith(f"judge {odd}:odd, its columns are left out")
    assert main(["bench", "run", f"{odd}:bad", "--strategy", "tail"]) == 1
    assert "does not hold" in " ".join(capsys.readouterr().out.split())


def test_files_are_written_and_only_reports_replaced(
    parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run and a page; both again; a file of somebody's own is left."""
    out, page, own = tmp_path / "run.json", tmp_path / "run.html", tmp_path / "notes.txt"
    own.write_text("mine")
    for _ in range(2):
        assert main(ran(parts, "--strategy", "tail", "--out", out, "--html", page)) == 0
        assert f"wrote {page}" in capsys.readouterr().out
    assert is_report(page.read_bytes()[:2_000]) and BenchReport.read(out).rows
    for given in (["--out", own], ["--html", own], ["--out", tmp_path], ["--out", own / "x"]):
        assert main(ran(parts, "--strategy", "tail", *given)) == 2
    assert own.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "notes.txt", "parts.py", "run.html", "run.json",
    ]  # fmt: skip


def test_two_runs_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is worse, told and, when asked for, an exit code; a clock alone fails nothing."""
    places = {
        "a": report_made({"tail": sums_of(4, cpu_us=100)}),
        "b": report_made({"tail": sums_of(2, cpu_us=100)}),
        "slow": report_made({"tail": sums_of(4, cpu_us=900)}),
        "other": report_made({"loom": sums_of()}),
    }
    for name, report in places.items():
        (tmp_path / f"{name}.json").write_bytes(report.encoded())
    a, b, slow, other = (str(tmp_path / f"{name}.json") for name in places)
    assert main(["bench", "compare", a, b]) == 0
    out = capsys.readouterr().out
    assert "0 better · 2 worse" in out and "100.0%" in out and "-50.0%" in out
    assert main(["bench", "compare", a, b, "--fail-on-worse"]) == 1
    assert main(["bench", "compare", a, a, "--fail-on-worse"]) == 0
    assert main(["bench", "compare", a, slow, "--fail-on-worse"]) == 0
    assert "0 worse" in capsys.readouterr().out.splitlines()[-1]
    assert main(["bench", "compare", a, other]) == 0
    assert "worse: tail at 8,192: 6 of 6 runs are missing" in capsys.readouterr().out
    assert main(["bench", "compare", a, other, "--fail-on-worse"]) == 1
    capsys.readouterr()
    assert main(["bench", "compare", a, b, "--json"]) == 0
    verdicts = {one["column"]: one["verdict"] for one in told(capsys)["differences"]}
    assert verdicts["kept"] == verdicts["score"] == "worse" and verdicts["cpu"] == "clock"


def interrupted(
    given: list[str], folder: Path, signalled: signal.Signals, pause: float = 0
) -> tuple[str, str]:
    """What a command printed whose strategy `waits`, and that got a signal then: nothing temporary
    is left of it, and its exit code tells which signal that was."""
    temporary = folder / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [*COMMAND, *given],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while not (folder / "waiting").exists():
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(pause)
        os.killpg(process.pid, signalled)
        out, err = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert list(temporary.iterdir()) == []
    assert process.returncode == (130 if signalled == signal.SIGINT else 143), err
    return out, err


@all_cases(("workers", "signalled"), each_value(["1", "2"], [signal.SIGINT, signal.SIGTERM]))
def test_an_interrupt_tells_what_has_come(
    parts: Path, tmp_path: Path, workers: str, signalled: signal.Signals
) -> None:
    """The run that ended is told and written, marked; of either signal nothing temporary stays."""
    given = ran(parts, "--strategy", "tail", "--strategy", f"{parts}:waits")
    given += ["--workers", workers, "--out", str(tmp_path / "run.json")]
    # The other process ends its run meanwhile.
    out, err = interrupted(given, tmp_path, signalled, 3 if workers == "2" else 0)
    assert "1 tail" in out and err.endswith("loom: interrupted after 1 of 2 runs\n")
    made = BenchReport.read(tmp_path / "run.json")
    assert len(made.rows) == 1
    assert (made.interrupted, made.finished, made.planned) == (True, 1, 2)


def test_an_interrupted_replay_tells_what_has_come(
    recorded: Path, parts: Path, tmp_path: Path
) -> None:
    """The replay that ended is told; the JSON says that it is not all."""
    given = ["bench", "replay", "--sessions", str(recorded), "--window", "8192", "--json"]
    given += ["--strategy", "tail", "--strategy", f"{parts}:waits", "--what", "needs"]
    out, err = interrupted(given, tmp_path, signal.SIGTERM)
    found = json.loads(out)
    assert set(found["needs"]["6192"]) == {"tail"}
    assert (found["interrupted"], found["finished"], found["planned"]) == (True, 1, 4)
    assert err.endswith("loom: interrupted after 1 of 4 runs\n")


def test_recorded_sessions_are_measured(
    recorded: Path, parts: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Needs, the closed loop and carryover; a strategy of one's own beside Loom. A pipe is told of
    each replay that was done."""
    monkeypatch.setattr("loom_bench.commands.coming.PAUSE", 0.0)
    names = ["--strategy", "loom", "--strategy", f"{parts}:newest"]
    given = ["bench", "replay", "--sessions", str(recorded), "--window", "8192", *names]
    assert main(given) == 0
    out, err = capsys.readouterr()
    assert "7 of 8 runs in" in err and "1 of 2 runs in" in err  # carryover reads each file
    assert "what the next calls needed" in out and "fetch what is missing" in out
    assert "no session there holds a compaction" in out
    assert max(map(len, out.splitlines())) <= 80
    assert main([*given, "--json", "--what", "needs"]) == 0
    found = told(capsys)
    assert set(found) == {"sessions", "needs", "failed", "skipped"} and found["sessions"] == 2
    assert set(found["needs"]["6192"]) == {"loom", f"{parts}:newest"}


@pytest.mark.parametrize(("labels", "ageing"), each_value([True, False], ["log", "steps"]))
def test_a_policy_is_fitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], labels: bool, ageing: str
) -> None:
    """`loom fit` prints a policy a context opens with, of sessions with labels or without."""
    for name in ("one", "two"):
        path = labelled_session(tmp_path, name, filler=14)
        if not labels:
            path.with_name(f"{name}.labels.jsonl").unlink()
    given = ["fit", str(tmp_path), "--capacity", "8000", "--rounds", "1", "--ageing", ageing]
    assert main([*given, "--json"]) == 0
    report = told(capsys)
    assert report["sessions"] == 2
    policy = loom.Policy(**report["policy"])
    with loom.open(tmp_path / "w", policy=policy, durable=False) as ctx:
        assert ctx.window.config.policy["ageing"] == ageing
    assert main(given) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"loom.Policy(ageing={ageing!r}, decay=")
    assert eval(out.splitlines()[0]) == policy
