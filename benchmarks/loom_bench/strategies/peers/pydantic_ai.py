"""Pydantic AI Harness: compaction strategies whose edits persist in the history."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from loom.inputs import ToolCall
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom_bench.plain_list import Meter
from loom_bench.sessions.needle import paths_of
from loom_bench.strategies.baselines import Policy, grown

KEEP = 0.8  # of capacity: what a sliding window leaves
PAIRS = 3  # calls and results that clearing leaves


def sliding(capacity: int, meter: Meter, *cheaper: Any) -> Policy:
    """`SlidingWindowCompaction` by `compact_now` whenever the history has passed the capacity."""
    compaction = import_module("pydantic_ai_harness.compaction")
    strategy = compaction.SlidingWindowCompaction(
        max_tokens=capacity, keep_tokens=int(KEEP * capacity), tokenizer=meter.text
    )
    if cheaper:
        strategy = compaction.TieredCompaction(
            tiers=[*cheaper, strategy], target_tokens=capacity, tokenizer=meter.text
        )
    model = import_module("pydantic_ai.models.test").TestModel()
    parts = import_module("pydantic_ai.messages")
    state: list[Any] = []

    def left() -> list[Message]:
        sent = [one for made in state for one in _back(made)]
        if meter.messages(sent) <= capacity:
            return sent
        made = compaction.compact_now(strategy, state, model=model, tokenizer=meter.text)
        state[:] = asyncio.run(made)  # what it leaves goes on
        return [one for made in state for one in _back(made)]

    return grown(lambda message: state.append(_made(parts, message)), left)


def tiered(capacity: int, meter: Meter) -> Policy:
    """Superseded reads, then old tool results, then a sliding window: the cheap tiers in order."""
    compaction = import_module("pydantic_ai_harness.compaction")
    return sliding(
        capacity,
        meter,
        compaction.DeduplicateFileReads(file_key=_file, tokenizer=meter.text),
        compaction.ClearToolResults(max_tokens=1, keep_pairs=PAIRS, tokenizer=meter.text),
    )


def _file(call: Any) -> str | None:
    """The file a call reads, as the package asks to be told."""
    if "read" not in call.tool_name.lower():
        return None
    paths = paths_of(ToolCall(call.tool_call_id, call.tool_name, str(call.args)))
    return paths[0] if paths else None


def _made(parts: Any, message: Message) -> Any:
    made = [_part(parts, block, message.role) for block in message.blocks]
    kind = parts.ModelResponse if message.role == "assistant" else parts.ModelRequest
    return kind(parts=made)


def _part(parts: Any, block: Block, role: str) -> Any:
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
