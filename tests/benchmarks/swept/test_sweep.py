"""`sweep`: sessions at several windows, broken laws counted, errors told and never raised."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.swept.command import GENERATED, added, found, line, totals
from benchmarks.swept.command import sweep as command
from benchmarks.swept.drive import Replayed, SweepSetting, drive
from loom.inputs import Session, System, User
from loom.replay.audit import BROKEN, Findings
from loom_bench.sessions.generate import FLAVOURS, session
from tests.kit.cases import all_cases, some

ROOT = Path(__file__).parents[3]
STEPS = 12  # enough for cuts at the smaller window
MESSAGE = '{"role": "user", "content": "hello"}\n'


def test_generated_sessions_break_no_law() -> None:
    """Nothing is broken, failed or refused at any window; windows add up to the whole, a reopened
    turn and a session counted once."""
    given = [session(seed, STEPS, flavour=flavour) for seed, flavour in enumerate(FLAVOURS)]
    done = [drive(one, SweepSetting(size)) for one in given for size in (8_192, 32_000)]
    report = totals(done, 0.0)
    assert (report["errors"], report["failed"], report["refused"]) == ([], 0, {})
    assert {law: report[law] for law in BROKEN} == dict.fromkeys(BROKEN, 0)
    windows = report["windows"].values()
    assert [window["turns"] for window in windows] == [(STEPS + 1) * len(FLAVOURS)] * 2
    assert report["turns"] == 2 * (STEPS + 1) * len(FLAVOURS)
    assert report["sessions"] == len(FLAVOURS)
    assert report["cuts"] == sum(window["cuts"] for window in windows) > 0
    assert all(window.keys() == added([]).keys() < report.keys() for window in windows)
    assert json.loads(json.dumps(report)) == report


@all_cases(("seed", "window"), some([(2, 8_192), (5, 8_192), (2, 16_000)], 2))
def test_many_small_files_in_use_again_stay_within_the_window(seed: int, window: int) -> None:
    """Where files of a few lines leave and many are named at once, no request is over budget."""
    one = drive(session(seed, 60, flavour="scraps"), SweepSetting(window))
    assert (one.failed, one.refused, one.findings.details) == ("", "", [])
    assert one.findings.cuts > 0 and one.findings.peak <= 1.0


@all_cases("head", some([0.7, 0.5, 0.3], 1))
def test_a_large_head_takes_nothing_of_what_came_in(head: float) -> None:
    """However much of the window instructions take, every law holds, the newest input's too."""
    one = drive(session(3, 60, flavour="coding"), SweepSetting(8_192, head=head))
    assert one.findings.details == [] and not one.failed and not one.refused
    assert one.findings.turns > 50 and one.column == f"8192+{head:g}"


def test_a_protected_text_too_large_is_refused_not_failed() -> None:
    """A window that cannot hold the instructions names their partition."""
    large = Session("large", (System("be careful " * 9_000), User("hello")))
    one = drive(large, SweepSetting(8_192))
    assert (one.refused, one.failed) == ("system", "")
    report = totals([one], 0.0)
    assert (report["refused"], report["failed"]) == ({"system": 1}, 0)
    assert "refused: system" in line(one)


def test_what_a_replay_raises_is_told() -> None:
    """A replay never raises: its error is part of the answer, with the event it came from."""
    one = drive(Session("broken", (User("a"), object())), SweepSetting(8_192))
    assert one.failed.startswith("event 1: ") and "FAILED" in line(one)
    assert totals([one], 0.0)["errors"] == [f"broken at 8192: {one.failed}"]


@all_cases("law", BROKEN)
def test_a_broken_law_is_counted(law: str) -> None:
    """Each law's counter reaches the report, with its detail."""
    findings = Findings(turns=1, details=[f"{law}: turn 1"])
    setattr(findings, law, 2)
    report = totals([Replayed("s", "", 8_192, findings)], 0.0)
    assert report[law] == report["windows"]["8192"][law] == 2
    assert report["errors"] == [f"s at 8192: {law}: turn 1"]


def test_sessions_are_found_or_generated() -> None:
    """Without folders fifteen, three of each flavour; at most so many as the limit."""
    names = [one.name.split("-")[0] for one in found([]) if isinstance(one, Session)]
    assert len(names) == GENERATED and {names.count(name) for name in names} == {3}
    assert len(list(found([], limit=2))) == 2


def test_the_command_ends_in_one_json_line(tmp_path: Path) -> None:
    """The last line on stdout is the report; progress is on stderr. Folders of sessions may be
    several; a file that is no session is one failure, and the rest goes on."""
    words = [sys.executable, "-m", "benchmarks", "sweep"]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.jsonl").write_text(MESSAGE)
        words += ["--sessions", str(tmp_path / name)]
    (tmp_path / "two" / "bad.json").write_text("{")
    ran = subprocess.run(
        [*words, "--windows", "8192,16000", "--workers", "1"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    report = json.loads(ran.stdout.splitlines()[-1])
    assert (ran.returncode, report["failed"]) == (1, 1) and "bad.json" in report["errors"][0]
    assert (report["sessions"], report["turns"]) == (3, 4)
    assert "4/4 " in ran.stderr
    assert all(f"{name} at 16,000" in ran.stderr for name in ("one", "two"))


@pytest.mark.parametrize("held", ["", "notes.txt", "picture.png", "deep/er/notes.txt"])
def test_no_session_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], held: str) -> None:
    """It exits with 2 and says that there is no session; no report is made."""
    if held:
        (tmp_path / held).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / held).write_text("no session\n")
    assert command(sessions=[tmp_path], windows="8192", workers=1) == 2
    out, err = capsys.readouterr()
    assert out == "" and "no session" in err


def test_heads_of_several_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each share is a column of its own; a share of all of the window, or of none, is refused."""
    (tmp_path / "one.jsonl").write_text(MESSAGE)
    given = {"sessions": [tmp_path], "windows": "8192", "workers": 1}
    assert command(**given, heads="0,0.5") == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["windows"].keys() == {"8192", "8192+0.5"}
    for wrong in ("1", "-0.1", "half"):
        assert command(**given, heads=wrong) == 2
        assert f"--heads {wrong}" in capsys.readouterr().err
