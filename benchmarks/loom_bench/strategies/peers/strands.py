"""Strands: a sliding window of messages, and what it does when the provider refuses a request."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom_bench.plain_list import Meter
from loom_bench.strategies.baselines import Policy, grown
from loom_bench.strategies.peers.langchain import arguments

TOKENS = 400  # a message, about, in sessions of coding agents: the window is counted in messages


def sliding(capacity: int, meter: Meter) -> Policy:
    """`apply_management` before every call; while it is too large, `reduce_context` as on overflow.

    The default of 40 messages knows nothing of tokens, so the window grows with the capacity.
    """
    managers = import_module("strands.agent.conversation_manager")
    overflow = import_module("strands.types.exceptions").ContextWindowOverflowException
    manager = managers.SlidingWindowConversationManager(window_size=capacity // TOKENS)
    agent = SimpleNamespace(messages=[])
    written: dict[str, CallBlock] = {}

    def add(message: Message) -> None:
        """A message in Bedrock's shape; the results of a step share one message of the user."""
        content = [_content(block, written) for block in message.blocks]
        messages = agent.messages
        if message.role == "tool" and messages and "toolResult" in messages[-1]["content"][0]:
            messages[-1]["content"] += content
        else:
            role = "assistant" if message.role == "assistant" else "user"
            messages.append({"role": role, "content": content})

    def back() -> list[Message]:
        return [one for made in agent.messages for one in _back(made, written)]

    def left() -> list[Message]:
        manager.apply_management(agent)
        while meter.messages(sent := back()) > capacity:
            try:
                manager.reduce_context(agent, overflow("too long"))
            except overflow:
                break
        return sent

    return grown(add, left)


def _content(block: Block, written: dict[str, CallBlock]) -> dict[str, Any]:
    if isinstance(block, CallBlock):
        written[block.id] = block
        given = arguments(block.arguments)
        return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": given}}
    if isinstance(block, ResultBlock):
        said = [{"text": block.text}]
        return {"toolResult": {"toolUseId": block.call_id, "status": "success", "content": said}}
    assert isinstance(block, TextBlock)
    return {"text": block.text}


def _back(made: dict[str, Any], written: dict[str, CallBlock]) -> Iterator[Message]:
    blocks: list[Block] = []
    for content in made["content"]:
        if "toolResult" in content:
            result = content["toolResult"]
            text = "".join(item.get("text", "") for item in result["content"])
            call = result["toolUseId"]
            name = written[call].name if call in written else ""
            yield Message("tool", (ResultBlock(call, name, text),))
        elif "toolUse" in content:
            blocks.append(written[content["toolUse"]["toolUseId"]])
        else:
            blocks.append(TextBlock(content["text"]))
    if blocks:
        yield Message("assistant" if made["role"] == "assistant" else "user", tuple(blocks))
