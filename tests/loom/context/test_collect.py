"""A provider's stream goes through chunk by chunk, and its reply is taken at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from tests.kit.opened import plain

Chunk = dict[str, Any]
SAID = "Ich prüfe 你好 🎉 beides."
ONE = '{"command": "ls  -l", "note": "ä\\n"}'
TWO = '{"path":"a.py"}'


def pieces(text: str, size: int = 5) -> list[str]:
    """A text in pieces."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat_stream() -> list[Chunk]:
    """Chat chunks: text, two parallel calls, the finish, and the usage after it."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Chunk:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-5",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    def call(index: int, **function: str) -> dict[str, Any]:
        return {"index": index, "function": function}

    made = [chunk({"role": "assistant", "content": ""})]
    made += [chunk({"content": piece}) for piece in pieces(SAID)]
    for index, (id, name, arguments) in enumerate((("a", "Bash", ONE), ("b", "Read", TWO))):
        opening = {**call(index, name=name, arguments=""), "id": id, "type": "function"}
        made.append(chunk({"tool_calls": [opening]}))
        made += [chunk({"tool_calls": [call(index, arguments=p)]}) for p in pieces(arguments)]
    made.append(chunk({}, "tool_calls"))
    usage = {"prompt_tokens": 1_234, "completion_tokens": 50, "total_tokens": 1_284}
    return [*made, {**chunk({}), "choices": [], "usage": usage}]


def chat_whole() -> Chunk:
    """The same, not streamed."""
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in (("a", "Bash", ONE), ("b", "Read", TWO))
    ]
    message = {"role": "assistant", "content": SAID, "tool_calls": calls}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-5",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1_234, "completion_tokens": 50},
    }


BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "Erst sehen, 先看。", "signature": "c2lnbmF0dXJl"},
    {"type": "redacted_thinking", "data": "b3BhcXVl"},
    {"type": "text", "text": SAID},
    {"type": "tool_use", "id": "a", "name": "Bash", "input": json.decode(ONE)},
    {"type": "tool_use", "id": "b", "name": "Read", "input": json.decode(TWO)},
]


def claude_whole() -> Chunk:
    """A reply of Anthropic, not streamed."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": BLOCKS,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 234, "cache_read_input_tokens": 1_000, "output_tokens": 50},
    }


def deltas(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it starts, and what then comes of it."""
    kind = block["type"]
    if kind == "thinking":
        thought = [{"type": "thinking_delta", "thinking": p} for p in pieces(block["thinking"])]
        signed = {"type": "signature_delta", "signature": block["signature"]}
        return {**block, "thinking": "", "signature": ""}, [*thought, signed]
    if kind == "text":
        return {**block, "text": ""}, [
            {"type": "text_delta", "text": piece} for piece in pieces(block["text"])
        ]
    if kind == "tool_use":
        text = ONE if block["id"] == "a" else TWO
        return {**block, "input": {}}, [
            {"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(text)]
        ]
    return block, []


def claude_stream() -> list[Chunk]:
    """The raw events of Anthropic."""
    usage = {"input_tokens": 234, "cache_read_input_tokens": 1_000, "output_tokens": 1}
    start = {**claude_whole(), "content": [], "stop_reason": None, "usage": usage}
    made: list[Chunk] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(BLOCKS):
        opening, then = deltas(block)
        made.append({"type": "content_block_start", "index": index, "content_block": opening})
        made += [{"type": "content_block_delta", "index": index, "delta": d} for d in then]
        made.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": "tool_use", "stop_sequence": None}
    made.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 50}})
    return [*made, {"type": "message_stop"}]


OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3BhcXVl"},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": SAID, "annotations": []}],
    },
    *(
        {
            "type": "function_call",
            "id": f"fc_{id}",
            "call_id": id,
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
        for id, name, arguments in (("a", "Bash", ONE), ("b", "Read", TWO))
    ),
]


def responses_whole() -> Chunk:
    """A response, not streamed."""
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": "gpt-5",
        "output": OUTPUT,
        "usage": {"input_tokens": 1_234, "output_tokens": 50, "total_tokens": 1_284},
    }


def responses_stream() -> list[Chunk]:
    """The events of a response."""
    begun = {**responses_whole(), "status": "in_progress", "output": [], "usage": None}
    made: list[Chunk] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(OUTPUT):
        place = {"output_index": index, "item_id": item["id"]}
        bare = {**item, **({"arguments": ""} if "arguments" in item else {})}
        bare |= {"content": []} if "content" in item else {}
        made.append({"type": "response.output_item.added", "output_index": index, "item": bare})
        if item["type"] == "message":
            made += [
                {"type": "response.output_text.delta", **place, "content_index": 0, "delta": piece}
                for piece in pieces(SAID)
            ]
        for piece in pieces(item.get("arguments", "")):
            made.append({"type": "response.function_call_arguments.delta", **place, "delta": piece})
        made.append({"type": "response.output_item.done", "output_index": index, "item": item})
    made.append({"type": "response.completed", "response": responses_whole()})
    return [{**event, "sequence_number": number} for number, event in enumerate(made)]


CALLS = [
    {"function_call": {"id": "a", "name": "Bash", "args": json.decode(ONE)}},
    {"function_call": {"id": "b", "name": "Read", "args": json.decode(TWO)}},
]


def gemini(parts: list[Chunk], finish: str | None = None, tokens: int = 0) -> Chunk:
    """A reply of Gemini, or a chunk of one."""
    candidate: Chunk = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish:
        candidate["finish_reason"] = finish
    usage = {"prompt_token_count": tokens, "candidates_token_count": 50}
    made: Chunk = {"model_version": "gemini-2.5-pro", "candidates": [candidate]}
    return {**made, "usage_metadata": usage} if tokens else made


def gemini_whole() -> Chunk:
    """A reply of Gemini, not streamed."""
    return gemini([{"text": SAID}, *CALLS], "STOP", 1_234)


def gemini_stream() -> list[Chunk]:
    """The chunks of Gemini."""
    return [
        *(gemini([{"text": piece}]) for piece in pieces(SAID)),
        gemini(CALLS[:1]),
        gemini(CALLS[1:], "STOP", 1_234),
    ]


Stream = tuple[Callable[[], list[Chunk]], Callable[[], Chunk]]
STREAMS: dict[str, Stream] = {
    "chat": (chat_stream, chat_whole),
    "anthropic": (claude_stream, claude_whole),
    "responses": (responses_stream, responses_whole),
    "gemini": (gemini_stream, gemini_whole),
}
every_stream = pytest.mark.parametrize("name", STREAMS)


class Asked:
    """A workspace whose turn is made, with what must not change while a stream goes wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ctx = plain(folder, window=16_000)
        self.ctx.user("Bitte beides, 请。")
        self.turn = self.ctx.turn()
        self.before = self.stored()
        self.window = self.ctx.window

    def stored(self) -> list[bytes]:
        """Every commit of the journal."""
        files = sorted((self.folder / "journal").iterdir())
        return [line for path in files for line in path.read_bytes().splitlines()]

    def untouched(self) -> bool:
        """Whether nothing is recorded, the turn is the same, and another try goes through."""
        same = self.stored() == self.before and self.ctx.window is self.window
        return same and self.ctx.turn().sha256 == self.turn.sha256

    def passed(self, chunks: list[Chunk]) -> list[Chunk]:
        """What comes through of a stream."""
        through: Any = self.ctx.collect(iter(chunks))
        return list(through)


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    """A turn was made."""
    made = Asked(tmp_path / "work")
    yield made
    made.ctx.close()


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Asked]:
    """Another workspace with the same turn."""
    made = Asked(tmp_path / "twin")
    yield made
    made.ctx.close()


FAILED = [
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}),
    ("chat", {"error": {"code": 502, "message": "Busy"}, "choices": []}),
    ("responses", {"type": "error", "code": "server_error", "message": "Busy", "param": None}),
]


@pytest.mark.parametrize(("name", "event"), FAILED, ids=[failed[0] for failed in FAILED])
def test_the_provider_fails(asked: Asked, name: str, event: Chunk) -> None:
    """A failure the provider reports in the stream is raised with its words."""
    with pytest.raises(loom.StreamFailed, match="Busy"):
        asked.passed([*STREAMS[name][0]()[:4], event])
    assert asked.untouched()


def test_a_reply_comes_between(asked: Asked) -> None:
    """Where another reply was taken while the stream ran, the streamed one is refused whole."""
    through: Any = asked.ctx.collect(iter(chat_stream()))
    next(through)
    asked.ctx.reply(loom.Reply((loom.ToolCall("x", "Bash", "{}"),)))
    before = asked.stored()
    with pytest.raises(loom.OpenCalls):
        list(through)
    assert asked.stored() == before
    assert [call.id for call in asked.ctx.calls] == ["x"]


# ---- asynchronous streams


async def later(chunks: list[Chunk], error: Exception | None = None) -> AsyncIterator[Chunk]:
    """A stream as an asynchronous client gives it."""
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk
    if error:
        raise error


@every_stream
def test_an_asynchronous_stream(asked: Asked, twin: Asked, name: str) -> None:
    """An asynchronous stream goes through the same, and its reply is the unstreamed one."""
    chunks = STREAMS[name][0]()

    async def run() -> list[Chunk]:
        through: Any = asked.ctx.collect(later(chunks))
        return [chunk async for chunk in through]

    seen = asyncio.run(run())
    assert all(one is two for one, two in zip(seen, chunks, strict=True))
    twin.ctx.reply(STREAMS[name][1]())
    assert asked.ctx.history.restore(2).reply == twin.ctx.history.restore(2).reply
    assert len(asked.stored()) == len(asked.before) + 1
