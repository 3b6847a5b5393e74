"""Find the text in a tool's result, and put another text in its place.

Claude Code ignores an answer that does not have the tool's own format. So a result of unknown
format is left unchanged: images, structured content, results of tools that are not handled below.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# A long output of Bash comes as its first characters and the file that has all of it.
KEPT, KEPT_SIZE = "persistedOutputPath", "persistedOutputSize"
LARGEST_FILE = 64_000_000  # bytes of one; four for a character
# Members that tell of a result that the call failed, or was cut short: those of Claude Code's own
# result (2.1.197), of MCP, and of the blocks in its transcript.
FAILED = ("interrupted", "isError", "is_error")
CODES = ("exitCode", "exit_code", "returnCode", "code")


class ShapedResult(NamedTuple):
    """A tool's result. `text` is its full text. `replaced(other)` returns the same result with the
    text `other`. `failed` is True if the call failed or was cut short."""

    text: str
    replaced: Callable[[str], object]
    failed: bool = False


def shaped_result(
    tool: str, asked: dict[str, Any], response: Any, transcript: object
) -> ShapedResult | None:
    """Return a tool's result with its text, or None if the text cannot be replaced. `asked` is the
    tool's input, `response` the result as the event has it, `transcript` the path of the session's
    transcript."""
    if tool.startswith("mcp__"):
        return _mcp_result(response)
    if not isinstance(response, dict):
        return None
    if tool == "Bash":
        return _bash_result(response, transcript)
    if tool == "Read" and not ({"offset", "limit", "pages"} & asked.keys()):
        return _read_result(response)  # lines that were asked for are what the model wants to see
    return None


def _bash_result(response: dict[str, Any], transcript: object) -> ShapedResult | None:
    """Return the output of a Bash call in full, or None for an unknown format."""
    out, err = response.get("stdout"), response.get("stderr", "")
    if KEPT in response:
        out = _kept_output(response[KEPT], transcript)
    known = isinstance(out, str) and isinstance(err, str)
    if not known or response.get("isImage") or response.get("structuredContent"):
        return None
    others = {key: value for key, value in response.items() if key not in (KEPT, KEPT_SIZE)}
    code = next((code for key in CODES if isinstance(code := response.get(key), int) and code), 0)
    told = f"Exit code {code}" if code else ""  # as Claude Code itself lists a command that failed
    text = "\n".join(part for part in (told, out, err) if part)
    failed = bool(code) or any(response.get(key) is True for key in FAILED)
    return ShapedResult(text, lambda short: {**others, "stdout": short, "stderr": ""}, failed)


def _kept_output(path: object, transcript: object) -> str | None:
    """Return the text of the file `path`, in which Claude Code keeps a long output. Return None if
    the file is unreadable, is no plain file in the transcript's folder, or has more than
    LARGEST_FILE bytes."""
    if not isinstance(transcript, str) or not isinstance(path, str):
        return None
    from loom.disk import plain_descriptor

    try:
        real = os.path.realpath(path)
        if not real.startswith(os.path.realpath(Path(transcript).with_suffix("")) + os.sep):
            return None
        with os.fdopen(plain_descriptor(real), "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError):
        return None
    return data.decode("utf-8", "replace") if len(data) <= LARGEST_FILE else None


def _read_result(response: dict[str, Any]) -> ShapedResult | None:
    file = response.get("file")
    text = file.get("content") if isinstance(file, dict) else None
    if response.get("type") != "text" or not isinstance(file, dict) or not isinstance(text, str):
        return None
    return ShapedResult(text, lambda short: {**response, "file": {**file, "content": short}})


def _mcp_result(response: object) -> ShapedResult | None:
    if isinstance(response, str):
        return ShapedResult(response, str)
    blocks = response if isinstance(response, list) else []
    known = (one for one in blocks if isinstance(one, dict) and one.get("type") == "text")
    texts = [text for one in known if isinstance(text := one.get("text"), str)]
    if not blocks or len(texts) != len(blocks):
        return None
    return ShapedResult("\n".join(texts), lambda short: [{"type": "text", "text": short}])
