"""Running the scripts of `examples/` as a reader does: a process of their own, without a key."""

import os
import re
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


SHOWN = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ python examples/(\w+)\.py\n", re.MULTILINE)


def runs_of(block: str) -> list[tuple[str, str]]:
    """The commands of a block of docs/examples.md, each the name of an example and its output."""
    _, *parts = COMMAND.split(block)
    return list(zip(parts[::2], parts[1::2], strict=True))


BLOCKS = [
    runs_of(block) for block in SHOWN.findall((ROOT / "docs" / "examples.md").read_text("utf-8"))
]


def masked(text: str) -> list[str]:
    """The lines of an output; numbers, and marks of single facts, are left open.

    Each workspace draws the letters of its mark, so counts of tokens differ a little by the run.
    """
    bare = re.sub(r"\d[\d,.]*", "N", re.sub(r"[#+.]{20,}", "MARKS", text.strip()))
    return [" ".join(line.split()) for line in bare.splitlines()]


def as_shown(said: list[str], shown: list[str]) -> bool:
    """Whether lines are those of the page, where a line `…` stands for any number of them."""
    parts = [r"(?:.*\n)*" if line == "…" else re.escape(line) + r"\n" for line in shown]
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in said)) is not None


def printed_as_shown(name: str, folder: Path) -> list[str]:
    """What an example prints in runs one after another, each as docs/examples.md shows it."""
    [runs] = [block for block in BLOCKS if block[0][0] == name]
    found = []
    for each, shown in runs:
        found.append(printed(each, folder))
        assert as_shown(masked(found[-1]), masked(shown))
    return found
