"""Commands that another distribution brings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import loom
from loom.cli.beside import GROUP

ROOT = Path(loom.__file__).parents[1]
PATHS = [str(ROOT), str(ROOT / "partitions"), str(ROOT / "paging")]


def ran(*words: str, paths: list[str]) -> subprocess.CompletedProcess[str]:
    """`loom` of this tree, where no distribution is seen but those in `paths`."""
    hidden = (
        "import sys, importlib.metadata as m; from loom.cli import main;"
        " real = m.entry_points;"
        " m.entry_points = lambda **named: [one for one in real(**named)"
        " if str(one.dist._path).startswith(sys.argv[1])];"
        " sys.exit(main(sys.argv[2:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", hidden, paths[0], *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*paths, *PATHS])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["bench"],
        ["bench", "run", "needle", "--seeds", "1"],
        ["bench", "--help"],
        ["fit", "a.jsonl"],
    ],
)
def test_without_its_distribution_a_command_says_what_to_install(
    words: list[str], tmp_path: Path
) -> None:
    """One line on stderr and exit code 2, whatever it was asked; its help says it, too."""
    run = ran(*words, paths=[str(tmp_path)])
    if "--help" in words:
        assert run.returncode == 0 and "loom-bench" in run.stdout
        return
    assert run.returncode == 2, run.stderr
    [said] = run.stderr.splitlines()
    assert f"loom {words[0]}" in said and "pip install ./benchmarks" in said


def test_an_installed_distribution_brings_the_command(tmp_path: Path) -> None:
    """Its entry point in the group is what `loom bench` runs."""
    (tmp_path / "brings.py").write_text(
        "def bench(word: str) -> int:\n    print(word)\n    return 0\n"
    )
    there = tmp_path / "brings-1.dist-info"
    there.mkdir()
    (there / "METADATA").write_text("Metadata-Version: 2.1\nName: brings\nVersion: 1\n")
    (there / "entry_points.txt").write_text(f"[{GROUP}]\nbench = brings:bench\n")
    run = ran("bench", "needle", paths=[str(tmp_path)])
    assert (run.returncode, run.stdout) == (0, "needle\n"), run.stderr
