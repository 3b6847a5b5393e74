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
from loom.replay.importers.loss_notes import loss_summary
from tests.kit.cases import all_cases

Wire = dict[str, Any]
MANY, BROKEN = 16, 6  # lines, and the one that is broken (from 0): what a user says


def claude_code(at: int, role: str, text: str) -> Wire:
    """A line of Claude Code."""
    said = {"role": role, "content": text}
    return {"type": role, "uuid": str(at), "parentUuid": str(at - 1), "message": said}


def block(text: str, kind: str = "text") -> list[Wire]:
    """A text as the one block of a message."""
    return [{"type": kind, "text": text}]


def codex(at: int, role: str, text: str) -> Wire:
    """A line of a rollout."""
    content = block(text, "input_text" if role == "user" else "output_text")
    payload = {"type": "message", "role": role, "content": content}
    return {"type": "response_item", "payload": payload}


KINDS = {"user": ("human", "user"), "assistant": ("ai", "model")}  # LangChain's name, Gemini's
SHAPES: dict[str, Callable[[int, str, str], Wire]] = {
    "claude_code": claude_code,
    "codex": codex,
    "openhands": lambda at, role, text: {
        "id": f"e{at}", "kind": "MessageEvent",
        "llm_message": {"role": role, "content": block(text)},
    },
    "langchain": lambda at, role, text: {
        "lc": 1, "type": "constructor", "kwargs": {"content": text, "type": KINDS[role][0]},
    },
    "gemini": lambda at, role, text: {"role": KINDS[role][1], "parts": [{"text": text}]},
    "responses": lambda at, role, text: {
        "type": "message", "role": role, "content": block(text, "input_text"),
    },
    "anthropic": lambda at, role, text: {"role": role, "content": block(text)},
    "normalised": lambda at, role, text: {"role": role, "content": text, "ctx_tokens": 5},
    "openai": lambda at, role, text: {"role": role, "content": text},
}  # fmt: skip
Rows = list[bytes]
# How a crash breaks the line number BROKEN: what stands on from which line, and which is lost.
DAMAGE: dict[str, tuple[Callable[[Rows], tuple[int, bytes, int]], int]] = {
    "torn": (lambda rows: (6, rows[6][:30], 7), BROKEN),
    "a byte": (lambda rows: (6, rows[6].replace(b"word", b"w\xffrd"), 7), BROKEN),
    "NULs in its place": (lambda rows: (6, b"\0" * 400, 7), BROKEN),
    "NULs before it": (lambda rows: (6, b"\0" * 300 + rows[6], 7), -1),
    "NULs behind it": (lambda rows: (6, rows[6] + b"\0" * 300, 7), -1),
    "NULs within": (lambda rows: (6, rows[6][:30] + b"\0" * 99 + rows[6][40:], 7), BROKEN),
    "two on a line": (lambda rows: (5, rows[5] + rows[6], 7), -1),
    "three on a line": (lambda rows: (5, b"".join(rows[5:8]), 8), -1),
    "torn, and the next behind it": (lambda rows: (6, rows[6][:30] + rows[7], 8), BROKEN),
    "NULs, and the next behind them": (
        lambda rows: (6, rows[6][:30] + b"\0" * 9 + rows[7], 8), BROKEN,
    ),
    "the last, with a newline": (lambda rows: (15, rows[15][:30] + b"\n", 16), MANY - 1),
    "the last": (lambda rows: (15, rows[15][:30], 16), MANY - 1),
}  # fmt: skip


def words(session: Session) -> str:
    """All that is said in a session."""
    texts = (
        getattr(part, "text", "")
        for event in session.events
        for part in (event, *getattr(event, "parts", ()))
    )
    return " ".join(texts)


@all_cases("damage", DAMAGE)
@all_cases("shape", SHAPES)
def test_the_broken_line_alone_is_lost(tmp_path: Path, shape: str, damage: str) -> None:
    """What stands on other lines is read, the loss is told with its place, and only a loss."""
    spoil, lost = DAMAGE[damage]
    made = (
        SHAPES[shape](at, ("user", "assistant")[at % 2], f"a word, number-{at}.")
        for at in range(MANY)
    )
    rows = [json.dumps(one).encode() for one in made]
    begin, broken, end = spoil(rows)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join([*rows[:begin], broken, *rows[end:]]) + b"\n" * (end < MANY))
    [session] = load(path)
    said = words(session)
    assert [at for at in range(MANY) if f"number-{at}." not in said] == [lost] * (lost >= 0)
    assert len({event.index for event in session.events}) == len(session.events)
    summed = [*loss_summary(session.mended)]
    assert summed == ([f"1 line lost: line {lost + 1}"] if lost >= 0 else [])
    nulls = any("NULs" in note for note in session.mended)
    assert lost >= 0 or damage.startswith("NULs") == nulls


@all_cases(
    ("left", "why"),
    [
        (b'{"role": "user", "con', "it was torn while it was written"),
        (b'{"role": "user", "con\n', "it was torn while it was written"),
        (b"\0" * 400, "NULs stood in its place"),
        (b'{"role": "us' + b"\0" * 9, "it was torn while it was written"),
        (b'{"role": "user", "content": "\xff"}\n', "it held bytes that are no UTF-8"),
    ],
)
def test_the_note_says_what_the_crash_did(tmp_path: Path, left: bytes, why: str) -> None:
    """To the last line, in words and not as the parser has it."""
    rows = [json.dumps(SHAPES["openai"](at, "user", "a word")).encode() for at in range(MANY)]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join([*rows, left]))
    [session] = load(path)
    assert f"line {MANY + 1}: {why}, and was left out" in session.mended


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
