"""Pydantic AI Harness: compaction strategies whose edits persist in the history."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from loom.inputs import ToolCall
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom.replay.cost import Meter
from loom_bench.sessions.needle import paths_of
from loom_bench.strategies.baselines import MessageGroup, Policy, flat

KEEP = 0.8  # of capacity: what a sliding window leaves
PAIRS = 3  # calls and results that clearing leaves


def sliding(capacity: int, meter: Meter) -> Policy:
    """`SlidingWindowCompaction` when the history passes the capacity."""
    compaction = import_module("pydantic_ai_harness.compaction")
    return _compacted(_sliding(compaction, capacity, meter), capacity, meter)


def tiered(capacity: int, meter: Meter) -> Policy:
    """Superseded reads, then old tool results, then a sliding window: the cheap tiers in order."""
    compaction = import_module("pydantic_ai_harness.compaction")
    tiers = [
        compaction.DeduplicateFileReads(file_key=_file, tokenizer=meter.text),
        compaction.ClearToolResults(max_tokens=1, keep_pairs=PAIRS, tokenizer=meter.text),
        _sliding(compaction, capacity, meter),
    ]
    strategy = compaction.TieredCompaction(
        tiers=tiers, target_tokens=capacity, tokenizer=meter.text
    )
    return _compacted(strategy, capacity, meter)


def _sliding(compaction: Any, capacity: int, meter: Meter) -> Any:
    return compaction.SlidingWindowCompaction(
        max_tokens=capacity, keep_tokens=int(KEEP * capacity), tokenizer=meter.text
    )


def _file(call: Any) -> str | None:
    """The file a call reads, as the package asks to be told."""
    if "read" not in call.tool_name.lower():
        return None
    paths = paths_of(ToolCall(call.tool_call_id, call.tool_name, str(call.args)))
    return paths[0] if paths else None


def _compacted(strategy: Any, capacity: int, meter: Meter) -> Policy:
    """`compact_now` whenever the history has passed the capacity; what it leaves goes on."""
    compaction = import_module("pydantic_ai_harness.compaction")
    model = import_module("pydantic_ai.models.test").TestModel()
    parts = import_module("pydantic_ai.messages")
    state: list[Any] = []
    taken = 0

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal state, taken
        arrived = flat(groups)
        state += [_made(parts, message) for message in arrived[taken:]]
        taken = len(arrived)
        left = [one for made in state for one in _back(made)]
        if meter.messages(left) > capacity:
            made = compaction.compact_now(strategy, state, model=model, tokenizer=meter.text)
            state = list(asyncio.run(made))
            left = [one for made in state for one in _back(made)]
        return left

    return policy


def _made(parts: Any, message: Message) -> Any:
    if message.role == "assistant":
        return parts.ModelResponse(parts=[_part(parts, block) for block in message.blocks])
    made = [_part(parts, block, message.role) for block in message.blocks]
    return parts.ModelRequest(parts=made)


def _part(parts: Any, block: Block, role: str = "assistant") -> Any:
    if isinstance(block, CallBlock):
        return parts.ToolCallPart(block.name, block.arguments, block.id)
    if isinstance(block, ResultBlock):
        return parts.ToolReturnPart(block.name or "tool", block.text, block.call_id)
    assert isinstance(block, TextBlock)
    kinds = {"system": parts.SystemPromptPart, "user": parts.UserPromptPart}
    return kinds.get(role, parts.TextPart)(block.text)


def _back(made: Any) -> Iterator[Message]:
    """A message of the package as ours: every result is a message of its own."""
    said: list[Block] = []
    for part in made.parts:
        kind = part.part_kind
        if kind == "tool-call":
            said.append(CallBlock(part.tool_call_id, part.tool_name, part.args_as_json_str()))
        elif kind == "text":
            said.append(TextBlock(part.content))
        elif kind == "tool-return":
            text = part.model_response_str()
            yield Message("tool", (ResultBlock(part.tool_call_id, part.tool_name, text),))
        else:
            role = "system" if kind == "system-prompt" else "user"
            yield Message(role, (TextBlock(str(part.content)),))  # type: ignore[arg-type]
    if said or made.kind == "response":
        yield Message("assistant", tuple(said))
