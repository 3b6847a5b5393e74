import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loom.cli.session_choice import LISTED, parse_choice
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


def session(number: int, text: str) -> str:
    """A session as Claude Code records it: a wish and a reply."""
    rows = [
        {"type": "user", "message": {"role": "user", "content": text}},
        {
            "type": "assistant",
            "message": {
                "role": "assistant", "id": f"m{number}", "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": "Done."}],
            },
        },
    ]  # fmt: skip
    marked = ({**row, "uuid": f"u{number}{at}", "sessionId": "s"} for at, row in enumerate(rows))
    return "".join(json.dumps(row) + "\n" for row in marked)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with 22 sessions of Claude Code; the newest says something hostile."""
    folder = tmp_path / ".claude" / "projects" / "-a-project"
    folder.mkdir(parents=True)
    for number in range(22):
        file = folder / f"s{number:02d}.jsonl"
        text = "x\x1b]0;owned\x07" if number == 21 else f"Mend the parser, part {number}."
        file.write_text(session(number, text), "utf-8")
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_nobody_is_asked_off_a_terminal(run: Run, home: Path) -> None:
    """The list, newest first, at most twenty, in eighty columns; what to give; exit 2."""
    code, out, err = run("replay")
    lines = out.splitlines()
    assert code == 2 and "--latest N or FILE" in err
    assert len(lines) == LISTED + 1 and "2 older" in lines[-1]
    assert lines[0].startswith(" 1  claude-code  20") and "part 20." in lines[1]
    assert all(len(text) <= 80 and text.isprintable() for text in lines)
    code, out, _ = run("replay", "--json")
    told = json.loads(out)
    assert (code, told["kind"], told["older"]) == (2, "BadInput", 2)
    assert len(told["found"]) == LISTED
    assert told["found"][1]["title"] == "Mend the parser, part 20."
    assert told["found"][0]["path"].endswith("s21.jsonl")


def test_the_latest_are_replayed(run: Run, home: Path) -> None:
    """As many as were asked for, priced by the model they were recorded with; none at all, and a
    count beside a file, are refused."""
    for given in (("--latest", "0"), ("--latest", "2", "x.jsonl")):
        code, _, err = run("replay", *given)
        assert code == 2 and "--latest" in err
    code, out, _ = run("replay", "--latest", "2", "--json")
    told = json.loads(out)["sessions"]
    assert code == 0
    assert [Path(one["source"]).stem for one in told] == ["s21", "s20"]
    assert {(one["model"], one["prices"]["input"]) for one in told} == {("claude-sonnet-4-5", 3.0)}


@all_cases(
    ("given", "places"),
    [
        ("1", [0]),
        ("3 1", [2, 0]),
        ("1,2, 2", [0, 1]),
        ("2-4", [1, 2, 3]),
        (" ALL \n", [0, 1, 2, 3]),
    ],
)
def test_an_answer_names_places(given: str, places: list[int]) -> None:
    """A number, several, a range, all of them."""
    assert parse_choice(given, 4) == places


def ask(home: Path, *answers: bytes) -> tuple[str, int]:
    """`loom replay` on a terminal, answered; what it showed, and its exit code."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this platform")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "loom", "replay", "--window", "8000"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    shown = ""
    waiting = list(answers)
    while True:
        try:
            more = os.read(ours, 65_536).decode(errors="replace")
        except OSError:  # the other end is closed
            break
        if not more:
            break
        shown += more
        asked = shown.count("Which?")
        if waiting and asked > len(answers) - len(waiting):
            os.write(ours, waiting.pop(0))
    os.close(ours)
    return shown, process.wait()


def test_a_terminal_is_asked_until_it_answers(home: Path) -> None:
    """A wrong answer is told and asked again; then the chosen ones are replayed."""
    shown, code = ask(home, b"77\n", b"2 3\n")
    assert code == 0 and "give numbers from 1 to 20" in shown
    assert "2 sessions, 2 requests: every law kept" in shown
    assert "\x1b]0;" not in shown and "x\\x1b]0;owned" in shown
