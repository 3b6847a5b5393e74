"""The commands in a real terminal: what is drawn, left alone, and given back."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.cli.styled import columns_of
from tests.kit.cases import all_cases, some
from tests.kit.terminals import COMMAND, commands_of
from tests.kit.tmux import Tmux, tmux
from tests.kit.ways_to_look import WAYS, Sights

# What the shell tells behind a command: its exit code, and the modes of its terminal.
AFTER = "echo $?; stty -a | grep -oE -- '-?\\b(echo|icanon)\\b'; echo end-of-it"


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder with a short path: that of a socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="lm") as folder:
        yield Path(folder)


@pytest.fixture
def screen(short_folder: Path) -> Iterator[Tmux]:
    """A terminal of 80 columns."""
    with tmux(short_folder) as terminal:
        yield terminal


@pytest.mark.parametrize("command", ["replay", "report", "stat"])
def test_a_command_ends_with_its_prompt(sights: Sights, screen: Tmux, command: str) -> None:
    """One that draws a bar or prints lines leaves the terminal as it was."""
    for given in WAYS[command](sights):
        told = screen.run(command, *given)
        assert told.strip() and "Traceback" not in told, given
        assert (screen.asked("alternate_on"), screen.asked("cursor_flag")) == ("0", "1"), given


@pytest.mark.parametrize(
    "key",
    ["C-c", "q"],
)
def test_top_gives_the_terminal_back(replayed: Path, screen: Tmux, key: str) -> None:
    """However it is left: no word, the cursor seen, what is typed seen, the screen as before."""
    screen.start("top", replayed, after=AFTER)
    screen.until(lambda told: "loom top" in told and "disk" in told)
    assert (screen.asked("alternate_on"), screen.asked("cursor_flag")) == ("1", "0")
    screen.keys(key)
    told = screen.until(lambda told: "end-of-it" in told)
    assert "Traceback" not in told and "interrupted" not in told
    assert " ".join(told.split()).split("#")[0].strip() == "0 icanon echo end-of-it"
    assert (screen.asked("alternate_on"), screen.asked("cursor_flag")) == ("0", "1")


def test_top_follows_the_size_of_the_terminal(replayed: Path, screen: Tmux) -> None:
    """Made narrower and lower, then wide, it is drawn anew: whole lines, each within it."""
    screen.start("top", replayed, after=AFTER)
    screen.until(lambda told: "disk" in told)
    for columns, rows in ((50, 12), (140, 40)):
        screen("resize-window", "-t", "t", "-x", str(columns), "-y", str(rows))
        told = screen.until(lambda told, at=columns: _fills(told, at))  # type: ignore[misc]
        assert len(told.splitlines()) <= rows and "Traceback" not in told
    screen.keys("C-c")
    screen.until(lambda told: "end-of-it" in told)


def _fills(told: str, columns: int) -> bool:
    """True when a frame is drawn for that many columns: its longest bar reaches the edge."""
    widths = [columns_of(line) for line in told.splitlines()]
    return "loom top" in told and columns - 8 <= max(widths) <= columns


@all_cases("command", some(commands_of("loom"), 5))
def test_a_reader_that_leaves_early(sights: Sights, command: str) -> None:
    """`loom … | head -1` is quiet, whichever command it is."""
    given = WAYS[command](sights)[0]
    process = subprocess.Popen(
        [*COMMAND, command, *map(str, given)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() in (0, 1, 141) and b"Traceback" not in err and b"Broken" not in err
