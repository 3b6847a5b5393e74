"""What the scripted model says to a real agent, told from the request alone.

A request that offers no shell (a title, a compaction without tools) gets a text. To any other the
model calls the client's own shell until the list holds enough results, and then ends. Nothing is
kept between requests, so a retry gets the same answer, and a compacted list begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.kit.scripted_server import said
from tests.providers.serving.script import Line
from tests.serve.upstream import Recorded

SHELLS = {"Bash": "command", "bash": "command", "exec_command": "cmd"}
DONE = "All done."
# Claude Code offers all its tools with the request for a summary, and forbids them in its text.
COMPACTING = "Do NOT call any tools"


def listed(request: Recorded) -> list[dict[str, Any]]:
    """The messages or items of a request."""
    given: list[dict[str, Any]] = request.body.get("messages") or request.body.get("input") or []
    return given


def results(request: Recorded) -> int:
    """How many results of tools it holds."""
    parts = [part for item in listed(request) for part in (item, *_blocks(item))]
    kinds = ("tool_result", "function_call_output")
    return sum(part.get("type") in kinds or part.get("role") == "tool" for part in parts)


def compacting(request: Recorded) -> bool:
    """Whether Claude Code asks for a summary of its session."""
    return COMPACTING in json.dumps(listed(request)[-1:])


def _blocks(item: dict[str, Any]) -> list[dict[str, Any]]:
    content = item.get("content")
    return content if isinstance(content, list) else []


def working(
    calls: int, lines: int = 2_000, thought: str = ""
) -> Callable[[Recorded, int], Line | str]:
    """A model that runs `calls` commands, each printing so many numbered lines, and ends."""

    def script(request: Recorded, n: int) -> Line | str:
        shell = next((tool for tool in request.tools if tool in SHELLS), "")
        done = results(request)
        if not shell or done >= calls or compacting(request):
            return DONE
        call = {SHELLS[shell]: f"seq {done} {done + lines}", "description": "Numbers"}
        return said("Next.", (shell, call), thought=thought)

    return script
