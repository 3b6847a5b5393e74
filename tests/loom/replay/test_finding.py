"""Finding sessions on a machine, with anything among them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loom.errors import BadSession
from loom.replay.finding import HEAD, recorded_sessions, with_title
from loom.replay.importers import find, load

SAMPLES = Path(__file__).parent / "importers" / "samples"
EACH = 3  # sessions of each tool


def lines(*rows: Any) -> bytes:
    """Values as JSONL."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def claude(number: int) -> bytes:
    """A session of Claude Code."""
    base = {"sessionId": f"s{number}", "isSidechain": False, "cwd": "/home/user/a"}
    said = {"role": "user", "content": f"Claude task {number}"}
    reply = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    return lines(
        {**base, "type": "user", "uuid": "0", "isMeta": True, "message": {**said, "content": "x"}},
        {**base, "type": "user", "uuid": "1", "message": said},
        {**base, "type": "assistant", "uuid": "2", "message": reply},
    )


def codex(number: int) -> bytes:
    """A rollout of Codex."""

    def item(role: str, kind: str, text: str) -> dict[str, Any]:
        content = [{"type": kind, "text": text}]
        payload = {"type": "message", "role": role, "content": content}
        return {"type": "response_item", "payload": payload}

    return lines(
        {"type": "session_meta", "payload": {"id": f"{number}", "cwd": "/home/user/b"}},
        item("user", "input_text", "<environment_context>x</environment_context>"),
        item("user", "input_text", f"Codex task {number}\nwith more  words"),
        item("assistant", "output_text", "Done."),
    )


TOOLS = {"claude": claude, "codex": codex}
GOOD = claude(0)
ODD: dict[str, Callable[[Path], object]] = {
    "empty.jsonl": Path.touch,
    "binary.jsonl": lambda path: path.write_bytes(bytes(range(256)) * 8),
    "torn.jsonl": lambda path: path.write_bytes(GOOD + b'{"type": "us'),
    "huge.jsonl": lambda path: path.write_bytes(b'{"type": "x", "y": "' + b"z" * 2 * HEAD + b'"}'),
    "folder.jsonl": Path.mkdir,
    "a.labels.jsonl": lambda path: path.write_bytes(b'{"needle": "x"}\n'),
    "other.json": lambda path: path.write_bytes(b'{"name": "x", "version": 1}'),
    "loop.jsonl": lambda path: path.symlink_to(path.name),
    "closed.jsonl": lambda path: (path.write_bytes(GOOD), path.chmod(0)),
    "letters.jsonl": lambda path: path.write_bytes(b'{"type": "\xff\xfe"}\n' + GOOD),
}


def test_sessions_among_odd_files(tmp_path: Path) -> None:
    """All sessions are loaded; of the others each says why not, and only as BadSession."""
    for tool, make in TOOLS.items():
        for number in range(EACH):
            path = tmp_path / tool / f"{number:02}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(make(number))
    for name, spoil in ODD.items():
        spoil(tmp_path / name)
    loaded, refused = [], {}
    for path in find([tmp_path]):
        try:
            loaded += load(path)
        except BadSession as error:
            refused[path.name] = error.why
    good = [one for one in loaded if Path(one.source).parent != tmp_path]
    assert len(good) == EACH * len(TOOLS)
    assert all(len(one.events) > 0 and not one.mended for one in good)
    mended = {Path(one.source).name: one.mended for one in loaded if one not in good}
    assert "torn" in mended.pop("torn.jsonl")[0]
    assert "no UTF-8" in mended.pop("letters.jsonl")[0]  # a bad byte loses its line alone
    closed = {"closed.jsonl"} if os.access(tmp_path / "closed.jsonl", os.R_OK) else set()
    assert set(mended) == closed
    told = {*ODD} - {"a.labels.jsonl", "torn.jsonl", "letters.jsonl"} - closed
    assert set(refused) == told
    assert all(refused.values())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with sessions of three tools, their times rising in the order of the names."""
    files = {
        ".claude/projects/-home-user-a/s1.jsonl": claude(1),
        ".claude/projects/-home-user-a/s1/subagents/agent-x.jsonl": claude(2),
        ".codex/sessions/2026/01/02/rollout-1.jsonl": codex(3),
    }
    for at, (name, data) in enumerate(files.items()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1000 + at, 1000 + at))
    database = tmp_path / ".local/share/opencode/opencode.db"
    database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(database)) as made:
        made.executescript((SAMPLES / "opencode.sql").read_text("utf-8"))
    return tmp_path


def test_where_tools_keep_them(home: Path, tmp_path: Path) -> None:
    """Sessions of all tools, the newest first, each loadable from its path; titled by the user's
    first own words and the project. Variables move the folders; a home without any has none."""
    found = recorded_sessions(home, {})
    assert found.unreadable == ()
    tools = [one.tool for one in found.sessions]
    assert tools == ["opencode", "opencode", "codex", "claude-code", "claude-code"]
    assert [one.modified for one in found.sessions[2:]] == [1002, 1001, 1000]
    assert all(len(load(one.path)) == 1 for one in found.sessions)
    told = [with_title(one) for one in found.sessions]
    assert [(one.project, one.title) for one in told[2:]] == [
        ("/home/user/b", "Codex task 3 with more words"),
        ("/home/user/a", "Claude task 2"),
        ("/home/user/a", "Claude task 1"),
    ]
    assert told[0].project == "/home/user/count"
    moved = {
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CODEX_HOME": str(home / ".codex"),
        "XDG_DATA_HOME": str(home / ".local/share"),
    }
    assert recorded_sessions(tmp_path / "empty", {}).sessions == ()
    assert len(recorded_sessions(tmp_path / "empty", moved).sessions) == 5


DATABASES: dict[str, Callable[[Path], object]] = {
    "damaged": lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 99),
    "pipe": os.mkfifo,
    "link": lambda path: path.symlink_to(path.with_name("moved.db")),
    "folder": Path.mkdir,
}


@pytest.mark.parametrize("kind", DATABASES)
def test_links_and_what_is_no_file(home: Path, kind: str) -> None:
    """No link is followed, wherever it leads, nothing waited for; a damaged database is told."""
    projects = home / ".claude/projects"
    (projects / "out").symlink_to("/")
    (projects / "loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(projects / "pipe.jsonl")
    path = home / ".local/share/opencode/opencode.db"
    path.rename(path.with_name("moved.db"))
    DATABASES[kind](path)
    found = recorded_sessions(home, {})
    assert len(found.sessions) == 3
    names = {one.path.name for one in found.unreadable}
    assert names == {"out", "loop.jsonl", "pipe.jsonl", "opencode.db"}
