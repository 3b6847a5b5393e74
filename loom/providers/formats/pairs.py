"""What ties opaque blocks of a reply to others: each other's ids, a signature, a call that is open.

Anthropic's `server_tool_use` and its result share an id, so do the items of Responses' own tools;
Gemini's executable code and its result may have none. A provider refuses the use of its own tool
without the result, but at the end of a turn it paused, or beside calls whose results it waits for:
then it runs the tool when the reply is sent back, with those results and nothing else behind it
(platform.claude.com, "Server tools", November 2026).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loom.inputs import Reasoning
from loom.providers.formats.envelope import NEXT, REASONING, is_reasoning
from loom.providers.formats.wire import Wire, parse_object

IDS = ("id", "tool_use_id", "call_id")
CODE = frozenset({"executable_code", "code_execution_result"})
# Members that only a provider can make, of reasoning in any format.
SIGNED = frozenset({"signature", "thought_signature", "data", "extra_content"})
PLAIN = frozenset({"type", "thinking", "signature", "reasoning_content", "reasoning"})
USE = "_tool_use"  # ends the types of Anthropic's blocks for tools of its own


def opaque_of(parts: Iterable[object]) -> list[str]:
    """The opaque JSON of each part, "" where it has none."""
    return [str(getattr(part, "opaque", "")) for part in parts]


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


def unbound(opaque: Sequence[str]) -> list[bool]:
    """Which of a reply's opaque blocks answer for nothing that stood before the reply.

    Reasoning does, where it is signed; so does what goes back with it: in the Responses format each
    item behind it.
    """
    found, follows = [], False
    for block in map(_read, opaque):
        free = bool(block) and not follows and not _bound(block)
        follows = follows or block.get("type") == "reasoning"
        found.append(free)
    return found


def is_signed(opaque: str) -> bool:
    """Tell whether a provider signed an opaque block, or part of it: it must stay as it is."""
    return _has_signature(_read(opaque))


def is_unsigned(part: Reasoning) -> bool:
    """Tell whether a part is reasoning as its text alone: any server may refuse it."""
    block = _read(part.opaque)
    plain = is_reasoning(block) and block.keys() <= PLAIN
    return bool(block) and plain and not block.get("signature")


def open_uses(opaque: Sequence[str]) -> set[str]:
    """Ids of the provider's own calls that have no result among a reply's opaque blocks.

    A call of the host's may tell by whose code it was made.
    """
    waiting: set[str] = set()
    for block in map(_read, opaque):
        waiting |= {str(block.get("id"))} if str(block.get("type")).endswith(USE) else set()
        caller = _object(_object(block.get(NEXT)).get("caller"))
        waiting |= {str(caller["tool_id"])} if caller.get("tool_id") else set()
        waiting.discard(str(block.get("tool_use_id")))
    return waiting


def _bound(block: Wire) -> bool:
    if NEXT in block:
        return bool(block.get("after")) or is_reasoning(_object(block[NEXT]))
    return is_reasoning(block) and _has_signature(block)


def _has_signature(value: Any) -> bool:
    if isinstance(value, dict):
        signed = (one for key, one in value.items() if key in SIGNED or key.startswith("encrypted"))
        return any(signed) or any(map(_has_signature, value.values()))
    return isinstance(value, list) and any(map(_has_signature, value))


def _object(value: Any) -> Wire:
    return value if isinstance(value, dict) else {}


def _read(opaque: str) -> Wire:
    return (parse_object(opaque) if opaque else None) or {}


def _links(opaque: str) -> set[str]:
    """Return what ties a block to another; reasoning stands alone."""
    block = _read(opaque)
    if block.get("type") in REASONING:
        return set()
    ids = {str(block[key]) for key in IDS if block.get(key)}
    return ids if CODE.isdisjoint(block) else {*ids, "code"}
