"""The fixture for a harness's own tests: what reaches its floors passes, what does not is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loom_bench.errors import BadBench
from loom_bench.floors import floors_of
from tests.kit.bench_parts import small_scenario

ROOT = Path(__file__).parents[2]
TREES = ("", "partitions", "paging", "benchmarks")
BUILDING = ("CI", "BUILD_NUMBER")
TESTS = """
import pytest
from parts import counting, everything, failing, newest, small

CASES = {"windows": [4096], "seeds": [1, 2], "scenarios": [small]}


def test_loom_keeps_all(loom_bench):
    loom_bench("loom", **CASES).floor(kept=1, refused=0, score=1)


def test_newest_keeps_nothing(loom_bench):
    loom_bench(newest, **CASES).floor(kept=0.9, refused=0)


def test_everything_is_refused(loom_bench):
    loom_bench(everything, **CASES).floor(refused=0.1)


def test_failing(loom_bench):
    loom_bench(failing, **CASES).floor(refused=1)


def test_no_column(loom_bench):
    loom_bench(newest, **CASES).floor(keptt=0.9)


def test_a_judge_of_its_own(loom_bench):
    report = loom_bench(newest, **CASES, judges=[counting, "lawful"])
    assert [one.name for one in report.report.columns] == ["messages", "refused"]
    report.floor(refused=1)
"""


def ran(folder: Path) -> subprocess.CompletedProcess[str]:
    """Tests of a harness's own, in a folder of their own."""
    small_scenario(folder)
    (folder / "conftest.py").write_text('pytest_plugins = ["loom_bench.plugin"]\n')
    (folder / "test_mine.py").write_text(TESTS)
    paths = os.pathsep.join(map(str, (*(ROOT / name for name in TREES), folder)))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        # On a build machine pytest tells each failure once more, and whole.
        env={**{k: v for k, v in os.environ.items() if k not in BUILDING}, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of all of them."""
    done = ran(tmp_path_factory.mktemp("harness"))
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_only_what_is_below_fails(whole: str) -> None:
    """Four of six, each for its own reason."""
    assert "4 failed, 2 passed" in whole
    for name in ("newest_keeps_nothing", "everything_is_refused", "failing", "no_column"):
        assert f"FAILED test_mine.py::test_{name}" in whole


def test_a_table_and_three_faults_are_told(whole: str) -> None:
    """What it is, what it has to be, and why."""
    lines = [line.removeprefix("E").strip() for line in whole.splitlines()]
    rows = [" ".join(line.removeprefix("AssertionError: ").split()) for line in lines]
    assert "scenario window column is has to be" in rows
    assert "small 4,096 kept 0.0% at least 90.0%" in rows
    assert any("seed 1, message" in row and "is lost" in row for row in rows)
    told = [row for row in rows if "refused: " in row and "are allowed" in row]
    assert len(set(told)) == len(told) == 3


def test_a_floor_without_a_case_is_refused(tmp_path: Path) -> None:
    """It would hold whatever a strategy does."""

    def empty(script: object) -> None:
        script.user("Hello.")  # type: ignore[attr-defined]

    report = floors_of("tail", scenarios=[empty])
    report.floor(refused=0)
    with pytest.raises(BadBench, match="none of these scenarios has a case of it"):
        report.floor(kept=1)
