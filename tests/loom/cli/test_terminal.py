import os
import signal
import subprocess
from pathlib import Path

import loom
from tests.kit.terminals import COMMAND, on_terminal
from tests.loom.cli.conftest import Run


def test_a_terminal_sees_the_replay_live(recorded: Path) -> None:
    """The progress bar shows ρ by partition, and is gone when the table stands."""
    given = ("replay", recorded / "short.jsonl", "--window", "6000")
    drawn = on_terminal(*given)
    assert "his ." in drawn and "full at" in drawn


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
