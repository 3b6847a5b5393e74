"""What Claude Code gives a hook, and the transcript it writes, made for tests."""

import json
from pathlib import Path
from typing import Any

BASH = {"interrupted": False, "isImage": False, "noOutputExpected": False}
LOG = "".join(f"line {number} of the build, part {number % 7}\n" for number in range(2_000))


def bash_event(text: str, id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    """The event of a command that printed a text."""
    return {
        "session_id": "s1",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
        "tool_response": {"stdout": text, "stderr": "", **BASH},
        "tool_use_id": id,
        **more,
    }


def tool_event(tool: str, asked: dict[str, Any], response: Any) -> dict[str, Any]:
    """The event of any tool's result."""
    return bash_event("", tool_name=tool, tool_input=asked, tool_response=response)


class Transcript:
    """A transcript as Claude Code writes it: a line for each block, and each result."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.replies = 0

    def line(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        """Add a line."""
        value = {"type": kind, "isSidechain": False, "sessionId": "s1", "message": message, **more}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(value) + "\n")

    def user(self, text: str, **more: Any) -> None:
        """Add what the user typed."""
        self.line("user", {"role": "user", "content": text}, **more)

    def calls(self, *calls: tuple[str, str, dict[str, Any]]) -> None:
        """Add a reply: a word, and calls as (id, tool, input), a line each."""
        self.replies += 1
        blocks = [{"type": "text", "text": "Next."}]
        blocks += [{"type": "tool_use", "id": id, "name": t, "input": i} for id, t, i in calls]
        for block in blocks:
            message = {"id": f"msg_{self.replies}", "role": "assistant", "content": [block]}
            self.line("assistant", message)

    def result(self, id: str, text: str, error: bool = False) -> None:
        """Add the result of a call."""
        block = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error}
        self.line("user", {"role": "user", "content": [block]})
