"""Logs that a crash left: the line that it broke is lost, and no other, in every shape of lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loom.cli import main
from loom.inputs import Session
from loom.replay.importers import load
from loom.replay.importers.losses import told

Wire = dict[str, Any]
MANY, BROKEN = 16, 6  # lines, and the one that is broken (from 0): what a user says


def claude_code(at: int, role: str, text: str) -> Wire:
    """A line of Claude Code."""
    said = {"role": role, "content": text}
    return {"type": role, "uuid": str(at), "parentUuid": str(at - 1), "message": said}


def codex(at: int, role: str, text: str) -> Wire:
    """A line of a rollout."""
    kind = "input_text" if role == "user" else "output_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"type": "response_item", "payload": payload}


def openhands(at: int, role: str, text: str) -> Wire:
    """An event of OpenHands."""
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"id": f"e{at}", "kind": "MessageEvent", "llm_message": message}


def dumped(at: int, role: str, text: str) -> Wire:
    """A message of LangChain as `dumpd` writes it."""
    kind = "human" if role == "user" else "ai"
    return {"lc": 1, "type": "constructor", "kwargs": {"content": text, "type": kind}}


def gemini(at: int, role: str, text: str) -> Wire:
    """A message of Gemini."""
    return {"role": "user" if role == "user" else "model", "parts": [{"text": text}]}


def responses(at: int, role: str, text: str) -> Wire:
    """An item of a Responses conversation."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def anthropic(at: int, role: str, text: str) -> Wire:
    """A message of Anthropic."""
    return {"role": role, "content": [{"type": "text", "text": text}]}


def normalised(at: int, role: str, text: str) -> Wire:
    """A message a line."""
    return {"role": role, "content": text, "ctx_tokens": 5}


def openai(at: int, role: str, text: str) -> Wire:
    """A message of Chat Completions."""
    return {"role": role, "content": text}


SHAPES: tuple[Callable[[int, str, str], Wire], ...] = (
    claude_code, codex, openhands, dumped, gemini, responses, anthropic, normalised, openai,
)  # fmt: skip
Rows = list[bytes]
# How a crash breaks the line number BROKEN: the file, and the lines whose words are lost.
DAMAGE: dict[str, tuple[Callable[[Rows], bytes], tuple[int, ...], str]] = {
    "torn": (lambda rows: _file(rows, rows[BROKEN][:30]), (BROKEN,), "line 7"),
    "a byte": (
        lambda rows: _file(rows, rows[BROKEN].replace(b"word", b"w\xffrd")), (BROKEN,), "line 7",
    ),
    "NULs in its place": (lambda rows: _file(rows, b"\0" * 400), (BROKEN,), "line 7"),
    "NULs before it": (lambda rows: _file(rows, b"\0" * 300 + rows[BROKEN]), (), ""),
    "NULs behind it": (lambda rows: _file(rows, rows[BROKEN] + b"\0" * 300), (), ""),
    "NULs within": (
        lambda rows: _file(rows, rows[BROKEN][:30] + b"\0" * 99 + rows[BROKEN][40:]),
        (BROKEN,),
        "line 7",
    ),
    "two on a line": (
        lambda rows: b"\n".join([*rows[:5], rows[5] + rows[6], *rows[7:]]) + b"\n", (), "",
    ),
    "three on a line": (
        lambda rows: b"\n".join([*rows[:5], b"".join(rows[5:8]), *rows[8:]]) + b"\n", (), "",
    ),
    "torn, and the next behind it": (
        lambda rows: b"\n".join([*rows[:6], rows[6][:30] + rows[7], *rows[8:]]) + b"\n",
        (BROKEN,),
        "line 7",
    ),
    "NULs, and the next behind them": (
        lambda rows: b"\n".join([*rows[:6], rows[6][:30] + b"\0" * 9 + rows[7], *rows[8:]]) + b"\n",
        (BROKEN,),
        "line 7",
    ),
    "the last, with a newline": (
        lambda rows: b"\n".join([*rows[:-1], rows[-1][:30]]) + b"\n", (MANY - 1,), "line 16",
    ),
    "the last": (lambda rows: b"\n".join([*rows[:-1], rows[-1][:30]]), (MANY - 1,), "line 16"),
}  # fmt: skip


def _file(rows: Rows, broken: bytes) -> bytes:
    return b"\n".join([*rows[:BROKEN], broken, *rows[BROKEN + 1 :]]) + b"\n"


def words(session: Session) -> str:
    """All that is said in a session."""
    texts = (
        getattr(part, "text", "")
        for event in session.events
        for part in (event, *getattr(event, "parts", ()))
    )
    return " ".join(texts)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_the_broken_line_alone_is_lost(
    tmp_path: Path, shape: Callable[[int, str, str], Wire], damage: str
) -> None:
    """What stands on other lines is read, the loss is told with its place, and only a loss."""
    spoil, lost, place = DAMAGE[damage]
    made = (shape(at, ("user", "assistant")[at % 2], f"a word, number-{at}.") for at in range(MANY))
    path = tmp_path / "log.jsonl"
    path.write_bytes(spoil([json.dumps(one).encode() for one in made]))
    [session] = load(path)
    said = words(session)
    assert [at for at in range(MANY) if f"number-{at}." not in said] == [*lost]
    assert len({event.index for event in session.events}) == len(session.events)
    summed = [*told(session.mended)]
    assert summed == ([f"1 line lost: {place}"] if lost else [])
    assert lost or damage.startswith("NULs") == any("NULs" in note for note in session.mended)


def test_commands_say_how_much_is_lost_and_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`replay`, `report` and `import`, for people and as JSON."""
    made = [claude_code(at, ("user", "assistant")[at % 2], f"number-{at}") for at in range(40)]
    rows = [json.dumps(one).encode() for one in made]
    rows[4], rows[20] = b"\0" * 50, rows[20].replace(b"number", b"n\xe9mber")
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join(rows) + b"\n")
    lost = "2 lines lost: line 5, line 21"
    page = str(tmp_path / "page.html")
    for given in (["replay"], ["report", "-o", page], ["import"]):
        more = [str(tmp_path / "made")] if given == ["import"] else []
        assert main([*given[:1], str(path), *more, *given[1:]]) == 0
        assert lost in " ".join("".join(capsys.readouterr()).split()), given
    assert lost in Path(page).read_text()
    assert main(["replay", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sessions"][0]["lost"] == [lost]
