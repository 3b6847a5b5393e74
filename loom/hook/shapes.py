"""Where the text of a tool's result stands, and the same result with another text in its place.

Claude Code ignores an answer that has not the tool's own shape, so a shape that is not known here
passes as it is: images, structured content, tools that are not in the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

MCP = "mcp__"
# A long output of Bash comes as its first characters and the file that has all of it.
KEPT, KEPT_SIZE = "persistedOutputPath", "persistedOutputSize"

# Members that tell of a result that the call failed, or was cut short: those of Claude Code's own
# result (2.1.197), of MCP, and of the blocks in its transcript.
FAILED = ("interrupted", "isError", "is_error")
CODES = ("exitCode", "exit_code", "returnCode", "code")

Whole = Callable[[object], "str | None"]  # the text of such a file, None where it may not be read


class ShapedResult(NamedTuple):
    """The whole text of a result, what makes a result of the tool's shape from another, and whether
    the event says that the call failed, or was cut short."""

    text: str
    replaced: Callable[[str], object]
    failed: bool = False


def shaped(tool: str, asked: dict[str, Any], response: object, whole: Whole) -> ShapedResult | None:
    """The text of a tool's result; None where there is none that could be replaced."""
    if tool.startswith(MCP):
        return _mcp(response)
    if not isinstance(response, dict):
        return None
    if tool == "Bash":
        return _bash(response, whole)
    if tool == "Read" and not ({"offset", "limit", "pages"} & asked.keys()):
        return _read(response)  # lines that were asked for are what the model wants to see
    return None


def _bash(response: dict[str, Any], whole: Whole) -> ShapedResult | None:
    out, err = response.get("stdout"), response.get("stderr", "")
    if not isinstance(out, str) or not isinstance(err, str):
        return None
    if response.get("isImage") or response.get("structuredContent"):
        return None
    if KEPT in response:
        kept = whole(response[KEPT])
        if kept is None:
            return None
        out = kept
    others = {key: value for key, value in response.items() if key not in (KEPT, KEPT_SIZE)}
    code = next((code for key in CODES if isinstance(code := response.get(key), int) and code), 0)
    told = f"Exit code {code}" if code else ""  # as Claude Code itself lists a command that failed
    text = "\n".join(part for part in (told, out, err) if part)
    failed = bool(code) or any(response.get(key) is True for key in FAILED)
    return ShapedResult(text, lambda short: {**others, "stdout": short, "stderr": ""}, failed)


def _read(response: dict[str, Any]) -> ShapedResult | None:
    file = response.get("file")
    if response.get("type") != "text" or not isinstance(file, dict):
        return None
    text = file.get("content")
    if not isinstance(text, str):
        return None
    return ShapedResult(text, lambda short: {**response, "file": {**file, "content": short}})


def _mcp(response: object) -> ShapedResult | None:
    if isinstance(response, str):
        return ShapedResult(response, str)
    if not isinstance(response, list) or not response:
        return None
    texts: list[str] = []
    for block in response:
        if not isinstance(block, dict) or block.get("type") != "text":
            return None
        if not isinstance(block.get("text"), str):
            return None
        texts.append(block["text"])
    return ShapedResult("\n".join(texts), lambda short: [{"type": "text", "text": short}])
