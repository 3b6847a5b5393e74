"""Anthropic's prompt cache: where a request carries marks.

A mark lets the provider keep the prefix that ends there, and find one that a request before kept
at most 20 blocks earlier. Four are allowed (docs.anthropic.com, prompt caching). So they stand
where a prefix is stable: behind the instructions that sessions share (tools stand before them),
behind what the last cut left as it was, at the end of the request before, and of this one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MOST = 4
MARK = {"type": "ephemeral"}
# Blocks Loom makes or knows; what a block of another type may carry is its provider's to say.
MARKED = frozenset({"text", "image", "document", "tool_use", "tool_result"})


def mark(request: dict[str, Any], places: Iterable[int]) -> None:
    """Put marks into a request whose messages at `places`, and the last, are its own.

    `places` are numbers of messages. Blocks that may carry no mark are passed over.
    """
    left = MOST
    # The last text of the system is the session's own; what stands before it sessions share.
    system, tools = request.get("system", []), request.get("tools", [])
    head, at = (system, -2) if len(system) > 1 else (tools, -1)
    if head:
        head[at] = {**head[at], "cache_control": dict(MARK)}
        left -= 1
    messages = request["messages"]
    for place in sorted({*places, len(messages) - 1}, reverse=True)[:left]:
        block = _last(messages[place]) if 0 <= place < len(messages) else None
        if block is not None:
            block["cache_control"] = dict(MARK)


def _last(message: dict[str, Any]) -> dict[str, Any] | None:
    """The last block of a message that may carry a mark."""
    content = message["content"]
    for block in reversed(content):
        if block["type"] in MARKED:
            return block  # type: ignore[no-any-return]
    return None
