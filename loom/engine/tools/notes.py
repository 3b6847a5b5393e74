"""`memory`: the notes of an agent, by the commands of the providers' memory tool."""

from __future__ import annotations

from typing import Any

from loom.capabilities.memory.notes import COMMANDS, ROOT, BadNote
from loom.engine.tools.answer import TEXT, TEXTS, Answer, reduction, tool
from loom.engine.working import Desk

NUMBERS = ("insert_line",)


def _memory(desk: Desk, arguments: dict[str, Any], limit: int) -> Answer:
    notes = desk.at_hand.notes
    if notes is None:
        raise BadNote("this agent has no folder for notes")
    command = str(arguments.pop("command"))
    given: dict[str, Any] = {**arguments}
    for name in NUMBERS:
        if name in given:
            given[name] = _number(name, given[name])
    if "view_range" in given:
        pair = [_number("view_range", one) for one in given["view_range"]]
        if len(pair) != 2:
            raise BadNote("view_range is two line numbers: [1, 40]")
        given["view_range"] = (pair[0], pair[1])
    text = notes.run(command, given, revocable=True)
    path = str(arguments.get("path") or arguments.get("new_path") or ROOT)
    said = f"memory: {command} {path[:80]}"
    return Answer(text[:limit], reduction("memory", {"command": command, "path": path[:100]}, said))


def _number(name: str, given: str) -> int:
    try:
        return int(given)
    except ValueError:
        raise BadNote(f"{name}: {given[:40]!r} is no line number") from None


MEMORY = (
    tool(
        "memory",
        f"Notes that outlive this session: Markdown files under {ROOT}.",
        {
            "command": {**TEXT, "enum": list(COMMANDS)},
            "path": TEXT,
            "view_range": {**TEXTS, "items": {"type": "integer"}},
            "file_text": TEXT,
            "old_str": TEXT,
            "new_str": TEXT,
            "insert_line": {"type": "integer"},
            "insert_text": TEXT,
            "old_path": TEXT,
            "new_path": TEXT,
        },
        _memory,
        optional=(
            "path", "view_range", "file_text", "old_str", "new_str", "insert_line", "insert_text",
            "old_path", "new_path",
        ),
        needs="notes",
    ),
)  # fmt: skip
