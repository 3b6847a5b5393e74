"""The tool `memory`: the notes of an agent, by the commands of the providers' memory tool."""

from __future__ import annotations

from typing import Any

from loom.capabilities.memory.notes import COMMANDS, ROOT, Notes
from loom.capability import Answer, OwnTool, own_tool
from loom.errors import BadInput
from loom.session.tools.answer import TEXT, TEXTS, answer_reduction
from loom.session.working_edits import WorkingEdits

NUMBER = {"type": "integer"}
PROPERTIES: dict[str, Any] = {
    "command": {**TEXT, "enum": list(COMMANDS)},
    "path": TEXT,
    "view_range": {**TEXTS, "items": NUMBER},
    "file_text": TEXT,
    "old_str": TEXT,
    "new_str": TEXT,
    "insert_line": NUMBER,
    "insert_text": TEXT,
    "old_path": TEXT,
    "new_path": TEXT,
}


def memory_tool(notes: Notes | None) -> OwnTool:
    """Return the tool `memory` for `notes`. With None the tool is not offered and fails."""

    def answer(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
        if notes is None:
            raise BadInput("this agent has no folder for notes")
        command = str(arguments.pop("command"))
        given: dict[str, Any] = {**arguments}
        if "insert_line" in given:
            given["insert_line"] = _line_number("insert_line", given["insert_line"])
        if "view_range" in given:
            pair = [_line_number("view_range", one) for one in given["view_range"]]
            if len(pair) != 2:
                raise BadInput("view_range is two line numbers: [1, 40]")
            given["view_range"] = (pair[0], pair[1])
        text = notes.run(command, given, revocable=True)
        path = str(arguments.get("path") or arguments.get("new_path") or ROOT)
        args = {"command": command, "path": path[:100]}
        return Answer(
            text[:limit], answer_reduction("memory", args, f"memory: {command} {path[:80]}")
        )

    return own_tool(
        "memory",
        f"Notes that outlive this session: Markdown files under {ROOT}.",
        PROPERTIES,
        answer,
        optional=tuple(name for name in PROPERTIES if name != "command"),
        offered=notes is not None,
    )


def _line_number(name: str, given: str) -> int:
    """Return `given` as an int. Raises BadInput, which names the argument `name`, if `given` is not
    the text of an integer."""
    try:
        return int(given)
    except ValueError:
        raise BadInput(f"{name}: {given[:40]!r} is no line number") from None
