"""Running the scripts of `examples/` as a reader does: a process of their own, without a key."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PATHS = (ROOT, ROOT / "partitions", ROOT / "paging")
COLUMNS = 80


def environment(folder: Path) -> dict[str, str]:
    """An environment without keys, whose home is a folder of the test's own."""
    return {
        "PYTHONPATH": os.pathsep.join(map(str, PATHS)),
        "PATH": "/usr/bin:/bin",
        "PYTHONIOENCODING": "utf-8",
        "HOME": str(folder / "home"),
    }


def command(name: str, *arguments: str) -> list[str]:
    """The command line of an example."""
    return [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments]


def printed(name: str, folder: Path, *arguments: str) -> str:
    """What an example prints: exit code 0, nothing on stderr, within 80 columns."""
    done = subprocess.run(
        command(name, *arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment(folder),
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if len(line) > COLUMNS] == []
    return done.stdout
