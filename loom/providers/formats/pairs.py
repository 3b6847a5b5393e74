"""Opaque blocks that go together: a provider refuses the use of its own tool without the result.

Anthropic's `server_tool_use` and its result share an id, so do the items of Responses' own tools;
Gemini's executable code and its result may have none.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.providers.formats.wire import Wire, parse_object

IDS = ("id", "tool_use_id", "call_id")
CODE = frozenset({"executable_code", "code_execution_result"})
REASONING = frozenset({"thinking", "redacted_thinking", "reasoning"})


def unpaired(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """Places of the opaque blocks whose counterpart is gone, of the blocks of one reply.

    `before` and `after` hold each part's opaque JSON, "" for a part that has none.
    """
    gone: set[str] = set()
    for old, new in zip(before, after, strict=True):
        if old and not new:
            gone |= _links(old)
    if not gone:
        return []
    return [at for at, opaque in enumerate(after) if not gone.isdisjoint(_links(opaque))]


def _links(opaque: str) -> set[str]:
    """Return what ties a block to another; reasoning stands alone."""
    block: Wire = (parse_object(opaque) if opaque else None) or {}
    if block.get("type") in REASONING:
        return set()
    ids = {str(block[key]) for key in IDS if block.get(key)}
    return ids if CODE.isdisjoint(block) else {*ids, "code"}
