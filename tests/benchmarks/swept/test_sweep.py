import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.swept.command import found, jobs_of, line, replays
from benchmarks.swept.command import sweep as command
from benchmarks.swept.drive import SweepSetting, drive
from benchmarks.swept.tally import Replayed, totals
from loom.inputs import Session, System, User
from loom.replay.audit import BROKEN, Findings
from loom_bench.sessions.generate import FLAVOURS, session
from tests.kit.cases import all_cases, some

ROOT = Path(__file__).parents[3]
STEPS = 12  # enough for cuts at the smaller window
KEYS = {"sessions", "turns", *BROKEN, "failed", "refused", "prefix_reuse"}
MORE = {"levels", "renewals", "cuts", "peak", "mean_tokens", "working_share"}


@pytest.fixture(scope="module")
def report() -> dict:
    """A sweep of three generated sessions at two windows."""
    given = [session(seed, STEPS, flavour=flavour) for seed, flavour in enumerate(FLAVOURS)]
    return totals(replays(jobs_of(given, [8_192, 32_000])[0], 1), 0.0)


def test_generated_sessions_break_no_law(report: dict) -> None:
    """Nothing is broken, nothing failed and nothing was refused, at any window."""
    assert report["errors"] == []
    assert {law: report[law] for law in BROKEN} == dict.fromkeys(BROKEN, 0)
    assert report["failed"] == 0
    assert report["refused"] == {}


@all_cases(("seed", "window"), some([(2, 8_192), (5, 8_192), (2, 16_000)], 2))
def test_many_small_files_in_use_again_stay_within_the_window(seed: int, window: int) -> None:
    """Where files of a few lines leave and many are named at once, no request is over budget."""
    one = drive(session(seed, 60, flavour="scraps"), SweepSetting(window))
    assert (one.failed, one.refused, one.findings.details) == ("", "", [])
    assert one.findings.cuts > 0
    assert one.findings.peak <= 1.0


def test_a_report_has_every_key_for_every_window(report: dict) -> None:
    """The whole and each window are reported under the same keys."""
    assert KEYS | {"errors", "wall_s", "windows"} <= set(report)
    assert set(report["windows"]) == {"8192", "32000"}
    assert all(set(window) == KEYS | MORE for window in report["windows"].values())
    assert json.loads(json.dumps(report)) == report


def test_windows_add_up_to_the_whole(report: dict) -> None:
    """Turns are summed over windows, a reopened one counted once; sessions are counted once."""
    windows = report["windows"].values()
    assert [window["turns"] for window in windows] == [(STEPS + 1) * len(FLAVOURS)] * 2
    assert report["turns"] == 2 * (STEPS + 1) * len(FLAVOURS)
    assert report["sessions"] == len(FLAVOURS)
    assert report["cuts"] == sum(window["cuts"] for window in windows) > 0


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
    unlawful = Session("unlawful", (User("a"), session(0, 3).events[2], User("b"), User("c")))
    broken = Session("broken", (*unlawful.events, object()))  # type: ignore[arg-type]
    one = drive(broken, SweepSetting(8_192))
    assert one.failed.startswith("event ")
    assert "FAILED" in line(one)
    assert totals([one], 0.0)["errors"] == [f"broken at 8192: {one.failed}"]


@all_cases("law", BROKEN)
def test_a_broken_law_is_counted(law: str) -> None:
    """Each law's counter reaches the report, with its detail."""
    found = Findings(turns=1, details=[f"{law}: turn 1"])
    setattr(found, law, 2)
    report = totals([Replayed("s", "", 8_192, found)], 0.0)
    assert report[law] == report["windows"]["8192"][law] == 2
    assert report["errors"] == [f"s at 8192: {law}: turn 1"]


def test_recorded_sessions_are_found_and_bad_files_told(tmp_path: Path) -> None:
    """Folders are searched; a file that is no session is one failure, and the rest goes on."""
    message = '{"role": "user", "content": "hello"}\n'
    (tmp_path / "one.jsonl").write_text(message)
    (tmp_path / "two.jsonl").write_text(message * 2)
    (tmp_path / "bad.json").write_text("{")
    jobs, unread = jobs_of(found([tmp_path]), [8_192])
    report = totals([*unread, *replays(jobs, 1)], 0.0)
    assert (report["sessions"], report["turns"], report["failed"]) == (3, 2, 1)
    assert "bad.json" in report["errors"][0]
    assert len(list(found([tmp_path], limit=2))) == 2


def test_without_folders_every_flavour_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifteen sessions, three of each flavour."""
    monkeypatch.setattr("benchmarks.swept.command.STEPS", 2)
    names = [one.name.split("-")[0] for one in found([])]
    assert len(names) == 15
    assert {names.count(name) for name in names} == {3}


def test_the_command_ends_in_one_json_line(tmp_path: Path) -> None:
    """The last line on stdout is the report; progress is on stderr.
    Folders of sessions may be several.
    """
    words = [sys.executable, "-m", "benchmarks", "sweep"]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.jsonl").write_text('{"role": "user", "content": "hello"}\n')
        words += ["--sessions", str(tmp_path / name)]
    ran = subprocess.run(
        [*words, "--windows", "8192,16000", "--workers", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout.splitlines()[-1])
    assert (report["sessions"], report["turns"]) == (2, 4)
    assert "4/4 " in ran.stderr
    assert all(f"{name} at 16,000" in ran.stderr for name in ("one", "two"))


@all_cases("head", some([0.7, 0.5, 0.3], 1))
def test_a_large_head_takes_nothing_of_what_came_in(head: float) -> None:
    """However much of the window instructions take, every law holds, the newest input's too."""
    one = drive(session(3, 60, flavour="coding"), SweepSetting(8_192, head=head))
    assert one.findings.details == [] and not one.failed and not one.refused
    assert one.findings.turns > 50 and one.column == f"8192+{head:g}"


@pytest.mark.parametrize("held", [(), ("notes.txt", "picture.png"), ("deep/er/notes.txt",)])
def test_no_session_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: tuple[str, ...]
) -> None:
    """It exits with 2 and says that there is no session; no report is made."""
    for name in held:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("no session\n")
    assert command(sessions=[tmp_path], windows="8192", workers=1) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no session" in err
