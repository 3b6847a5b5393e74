"""The fixture for a harness's own tests: what reaches its floors passes, what does not is told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loom_bench.errors import BadBench
from loom_bench.floors import floors_of
from tests.kit.bench_parts import small_scenario

BUILDING = ("CI", "BUILD_NUMBER")
TESTS = """
import pytest
from parts import counting, everything, failing, newest, small

CASES = {"windows": [4096], "seeds": [1, 2], "scenarios": [small]}


@pytest.mark.parametrize(
    ("strategy", "floors"),
    [
        ("loom", {"kept": 1, "refused": 0, "score": 1}),
        (newest, {"kept": 0.9, "refused": 0}),
        (everything, {"refused": 0.1}),
        (failing, {"refused": 1}),
        (newest, {"keptt": 0.9}),
    ],
    ids=["loom", "newest", "everything", "failing", "no_column"],
)
def test_floors(loom_bench, strategy, floors):
    loom_bench(strategy, **CASES).floor(**floors)


def test_a_judge_of_its_own(loom_bench):
    report = loom_bench(newest, **CASES, judges=[counting, "lawful"])
    assert [one.name for one in report.report.columns] == ["messages", "refused"]
    report.floor(refused=1)
"""


def test_only_what_is_below_fails(tmp_path: Path) -> None:
    """Four of six, each for its own reason: what it is, what it has to be, and three faults."""
    small_scenario(tmp_path)
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["loom_bench.plugin"]\n')
    (tmp_path / "test_mine.py").write_text(TESTS)
    # On a build machine pytest tells each failure once more, and whole.
    environment = {name: value for name, value in os.environ.items() if name not in BUILDING}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    whole = done.stdout
    assert done.returncode == 1 and "4 failed, 2 passed" in whole, whole + done.stderr
    for name in ("newest", "everything", "failing", "no_column"):
        assert f"FAILED test_mine.py::test_floors[{name}]" in whole
    lines = [line.removeprefix("E").strip() for line in whole.splitlines()]
    rows = [" ".join(line.removeprefix("AssertionError: ").split()) for line in lines]
    assert "scenario window column is has to be" in rows
    assert "small 4,096 kept 0.0% at least 90.0%" in rows
    assert any("seed 1, message" in row and "is lost" in row for row in rows)
    told = [row for row in rows if "refused: " in row and "are allowed" in row]
    assert len(set(told)) == len(told) == 3


def test_a_floor_without_a_case_is_refused() -> None:
    """It would hold whatever a strategy does."""

    def empty(script: object) -> None:
        script.user("Hello.")

    report = floors_of("tail", scenarios=[empty])
    report.floor(refused=0)
    with pytest.raises(BadBench, match="none of these scenarios has a case of it"):
        report.floor(kept=1)
