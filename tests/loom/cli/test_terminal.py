import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import loom
from tests.kit.cases import all_cases
from tests.kit.terminals import COMMAND, on_terminal

Run = Callable[..., tuple[int, str, str]]


def test_a_terminal_gets_a_table_and_a_pipe_gets_lines(run: Run, replayed: Path) -> None:
    """The same command draws on a terminal and prints plain lines elsewhere."""
    drawn = on_terminal("pages", replayed, NO_COLOR="")
    assert "\x1b[" in drawn and "│" in drawn and "outputs/read_0001.txt" in drawn
    _, out, _ = run("pages", replayed)
    assert "\x1b" not in out and "│" not in out


def test_a_page_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """A page shown on a terminal, whole, in part or in a table, has no control characters."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        name = "a\u202e\x1b]0;owned\x07[red].py"
        ctx.reply(loom.Reply((loom.ToolCall("c1", "Read", json.dumps({"path": name})),)))
        ctx.result("c1", "x\x1b[2J\u202e\x9b31m é\r\n" * 200)
    for tokens in (("cat", "read_0001"), ("cat", "read_0001", "--lines", "1-2"), ("log",)):
        shown = on_terminal(tokens[0], tmp_path / "w", *tokens[1:], NO_COLOR="1")
        assert not set("\x07\u202e\x9b") & set(shown)
        assert "\x1b[2J" not in shown and "\x1b]0" not in shown


def test_no_color_is_honoured(replayed: Path) -> None:
    """With NO_COLOR set no colour is switched on, on a terminal either."""
    drawn = on_terminal("pages", replayed, NO_COLOR="1")
    assert not any(f"\x1b[3{colour}" in drawn or f"\x1b[9{colour}" in drawn for colour in range(8))


def test_a_terminal_sees_the_replay_live(recorded: Path) -> None:
    """The progress bar shows ρ by partition, and is gone when the table stands."""
    given = ("replay", recorded / "short.jsonl", "--window", "6000")
    drawn = on_terminal(*given)
    assert "his ." in drawn and "full at" in drawn


def test_one_bar_for_all_workers_without_colour(recorded: Path) -> None:
    """Two workers share one bar, which NO_COLOR leaves uncoloured."""
    drawn = on_terminal("replay", recorded, "--window", "6000", "--workers", "2", NO_COLOR="1")
    bars = [part for part in drawn.split("\r") if "%" in part and "his ." in part]
    assert bars and all(part.count("his .") == 1 for part in bars)
    assert not any(f"\x1b[3{colour}" in drawn or f"\x1b[9{colour}" in drawn for colour in range(8))


def test_a_closed_pipe_is_silent(replayed: Path) -> None:
    """`loom log DIR | head -1` ends without a word on stderr."""
    process = subprocess.Popen(
        [*COMMAND, "log", str(replayed), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


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


@all_cases("tokens", [("frob",), ("stat",), ("stat", "a", "b"), ("cat", "a")])
def test_bad_command_lines_are_one_line_and_exit_2(run: Run, tokens: tuple[str, ...]) -> None:
    """An unknown command, too few and too many arguments."""
    code, out, err = run(*tokens)
    assert (code, out) == (2, "") and err.startswith("loom: ") and err.count("\n") == 1
