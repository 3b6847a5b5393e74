"""Every command in 80 and in 160 columns, in a pipe, and in a real terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

import loom
from loom.cli import main
from tests.kit.cases import all_cases, each_value, some
from tests.kit.hostile import DRAWN
from tests.kit.terminals import COMMAND, commands_of, on_terminal, terminal
from tests.kit.tmux import Tmux, tmux
from tests.kit.ways_to_look import SENTENCES, TEXTS, WAYS, Sights
from tests.loom.cli.conftest import Run

DEAR = ("demo", "bench")  # which run whole sessions: in one width
LOOKS = [
    (command, columns, colour)
    for columns, colour in each_value([80, 160], [True, False])
    for command in commands_of("loom")
    if columns == 160 or command not in DEAR
]


def test_every_command_has_a_way() -> None:
    """A new command comes with the way it is looked at here."""
    assert sorted(WAYS) == commands_of("loom")


@all_cases(("command", "columns", "colour"), LOOKS)
def test_on_a_terminal(
    sights: Sights, monkeypatch: pytest.MonkeyPatch, command: str, columns: int, colour: bool
) -> None:
    """Tables fit its width; nothing ends in a traceback. With NO_COLOR it is sent no escape but by
    what moves its cursor: a bar, a board."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    for given in WAYS[command](sights):
        with terminal() as told:
            main([command, *map(str, given)])
        assert told[0].strip() and "Traceback" not in told[0], given
        lines = DRAWN.sub("\n", told[0]).split("\n")
        if command not in TEXTS | SENTENCES:
            assert max(map(cell_len, lines)) <= columns, given
        styles = [code for code in DRAWN.findall(told[0]) if code.endswith("m")]
        assert colour or not styles, given
        assert styles or not colour or command != "diff", given
        assert colour or command in ("replay", "report", "bench") or "\x1b" not in told[0], given


def test_a_terminal_sees_the_replay_live(recorded: Path) -> None:
    """The progress bar shows ρ, and is gone when the table stands."""
    given = ("replay", recorded / "short.jsonl", "--window", "6000")
    drawn = on_terminal(*given)
    assert " ρ 0." in drawn and "full at" in drawn


def test_an_interrupt_ends_cleanly(tmp_path: Path) -> None:
    """Ctrl-C in the middle of the demo: exit 130, one line, nothing left behind."""
    process = subprocess.Popen(
        [*COMMAND, "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    # The second line comes of its twentieth step: everything is imported, and much is left to do.
    assert process.stdout.readline() and process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, b"loom: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_version_and_help(run: Run) -> None:
    """`--version` is the package's; help names every command and fits 100 columns."""
    assert run("--version")[:2] == (0, f"{loom.__version__}\n")
    code, out, _ = run("--help")
    assert code == 0 and all(len(text) <= 100 for text in out.splitlines())
    for command in ("demo", "replay", "stat", "ps", "log", "pages", "cat", "check"):
        assert command in out


@pytest.mark.parametrize("client", ["claude", "codex", "opencode"])
def test_help_says_how_each_client_starts_the_server(run: Run, client: str) -> None:
    """The whole command, to copy."""
    assert f"{client} mcp add loom -- loom mcp\n" in run("mcp", "--help")[1]


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
    widths = [cell_len(line) for line in told.splitlines()]
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
