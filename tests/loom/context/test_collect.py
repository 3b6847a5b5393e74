"""A stream goes through `ctx.collect`: its reply is taken at its end, and what stands between tags
of reasoning is not handed on."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import RawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

import loom
from tests.kit.journal import stored
from tests.kit.opened import plain
from tests.kit.replies import STREAMS


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A turn was made."""
    with plain(tmp_path / "w", window=16_000) as made:
        made.user("Both, please.")
        made.turn()
        yield made


FAILED = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}},
    "openai": {"error": {"code": 502, "message": "Busy"}, "choices": []},
    "responses": {"type": "error", "code": "server_error", "message": "Busy", "param": None},
}


@pytest.mark.parametrize("name", FAILED)
def test_the_provider_fails(ctx: loom.Context, tmp_path: Path, name: str) -> None:
    """A failure in the stream is raised with its words, and nothing is recorded."""
    before, window, turn = stored(tmp_path / "w"), ctx.window, ctx.turn()
    with pytest.raises(loom.errors.BrokenStream, match="Busy"):
        [*ctx.collect([*STREAMS[name][:2], FAILED[name]])]
    assert stored(tmp_path / "w") == before and ctx.window is window
    assert ctx.turn().sha256 == turn.sha256


def test_a_reply_comes_between(ctx: loom.Context, tmp_path: Path) -> None:
    """Where another reply was taken while the stream ran, the streamed one is refused whole."""
    through: Any = ctx.collect(iter(STREAMS["openai"]))
    next(through)
    ctx.reply(loom.Reply((loom.ToolCall("x", "Bash", "{}"),)))
    before = stored(tmp_path / "w")
    with pytest.raises(loom.OpenCalls):
        list(through)
    assert stored(tmp_path / "w") == before
    assert [call.id for call in ctx.calls] == ["x"]


Chunk = dict[str, Any]
TEXT = "<think>\nThe secret plan.\n</think>\n\nDone as < you asked.<thinking>secret</thinking>"
SAID = "Done as < you asked."


def cut(text: str, size: int) -> list[str]:
    """A text in pieces."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat(text: str, size: int) -> Iterator[Chunk]:
    """Chat Completions."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "qwen3"}
    for piece in cut(text, size):
        delta = {"role": "assistant", "content": piece}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**head, "choices": []}


def messages(text: str, size: int) -> Iterator[Chunk]:
    """Messages of a server of open models."""
    usage = {"input_tokens": 9, "output_tokens": 9}
    yield {"type": "message_start", "message": {
        "id": "m", "type": "message", "role": "assistant", "model": "qwen3", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }}  # fmt: skip
    block = {"type": "text", "text": "", "citations": None}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    for piece in cut(text, size):
        delta = {"type": "text_delta", "text": piece}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "ping"}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def responses(text: str, size: int) -> Iterator[Chunk]:
    """Responses: pieces, then all of it four times."""
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {
        "type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [part]
    }  # fmt: skip
    at = {"output_index": 0, "content_index": 0, "item_id": "i", "logprobs": []}
    response = {
        "id": "r", "object": "response", "created_at": 1, "model": "qwen3", "tools": [],
        "tool_choice": "auto", "parallel_tool_calls": True, "status": "completed",
    }  # fmt: skip
    made: list[Chunk] = [{"type": "response.created", "response": {**response, "output": []}}]
    made += [{"type": "response.output_text.delta", "delta": p, **at} for p in cut(text, size)]
    made += [
        {"type": "response.output_text.done", "text": text, **at},
        {"type": "response.content_part.done", "part": part, **at},
        {"type": "response.output_item.done", "item": item, "output_index": 0},
        {"type": "response.completed", "response": {**response, "output": [item]}},
    ]
    yield from ({**event, "sequence_number": number} for number, event in enumerate(made))


def gemini(text: str, size: int) -> Iterator[Chunk]:
    """Chunks of Gemini's, of a model without a row; the last has text and the reason to stop."""
    pieces = cut(text, size)
    for number, piece in enumerate(pieces):
        content = {"role": "model", "parts": [{"text": piece}]}
        last = {"finishReason": "STOP"} if number == len(pieces) - 1 else {}
        yield {"candidates": [{"content": content, **last}], "modelVersion": "gemma-4"}


def told(chunks: list[Any]) -> tuple[str, list[str]]:
    """The pieces of text in chunks joined, and the texts they repeat."""
    said, whole = "", []
    for chunk in chunks:
        one = chunk if isinstance(chunk, dict) else chunk.model_dump(by_alias=True)
        for choice in one.get("choices") or ():
            said += choice["delta"].get("content") or ""
        for candidate in one.get("candidates") or ():
            parts = candidate["content"]["parts"]
            said += "".join(part["text"] for part in parts if not part.get("thought"))
        delta = one.get("delta")
        said += delta if isinstance(delta, str) else (delta or {}).get("text") or ""
        whole += [one["text"]] if one.get("type") == "response.output_text.done" else []
        whole += [one["part"]["text"]] if "part" in one else []
        items = [one["item"]] if "item" in one else (one.get("response") or {}).get("output") or ()
        whole += [item["content"][0]["text"] for item in items]
    return said, whole


def adapted(kind: Any) -> Callable[[Chunk], Any]:
    """Make the SDK's own object of a chunk."""
    return TypeAdapter(kind).validate_python


Made = Callable[[Chunk], Any]
TAGGED: dict[str, tuple[Callable[[str, int], Iterator[Chunk]], Made]] = {
    "openai": (chat, ChatCompletionChunk.model_validate),
    "anthropic": (messages, lambda c: c if c["type"] == "ping" else adapted(RawMessageStreamEvent)(c)),  # noqa: E501
    "responses": (responses, adapted(ResponseStreamEvent)),
    "gemini": (gemini, GenerateContentResponse.model_validate),
}  # fmt: skip


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[loom.Context]:
    """A context whose request waits for its reply."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("Do it.")
        ctx.turn()
        yield ctx


@pytest.mark.parametrize("size", [1, 4, 7, 1_000])
@pytest.mark.parametrize("sdk", [False, True], ids=["dicts", "objects"])
@pytest.mark.parametrize("name", TAGGED)
def test_the_answer_alone(asked: loom.Context, name: str, sdk: bool, size: int) -> None:
    """Wherever it is split, in every event that has a text; chunks given stay as they are."""
    stream, made = TAGGED[name]
    chunks = [made(chunk) if sdk else chunk for chunk in stream(TEXT, size)]
    before = repr(chunks)
    said, whole = told(list(asked.collect(chunks)))
    assert said == asked.text == SAID
    assert whole == [SAID] * len(whole) and len(whole) == (4 if name == "responses" else 0)
    assert repr(chunks) == before
    assert "The secret plan." in repr(asked.history.restore(2).reply)


@pytest.mark.parametrize("name", TAGGED)
def test_what_goes_through_as_it_came(asked: loom.Context, name: str) -> None:
    """Chunk by chunk what has no tags, and with `reasoning` all of it."""
    chunks = list(TAGGED[name][0](" Use `a < b`, thinking of it.\n", 6))
    assert list(asked.collect(chunks)) == chunks
    asked.user("Again.")
    asked.turn()
    chunks = list(TAGGED[name][0](TEXT, 4))
    passed = list(asked.collect(chunks, reasoning=True))
    assert all(one is two for one, two in zip(passed, chunks, strict=True))
    assert asked.text == SAID


def test_tags_that_are_content(tmp_path: Path) -> None:
    """A model's row says so, be it named by the host or by the chunks; or reasoning came apart."""
    apart = {"choices": [{"index": 0, "delta": {"reasoning_content": "It is told."}}]}
    thought = {"candidates": [{"content": {"parts": [{"text": "So.", "thought": True}]}}]}
    for model, chunks in (
        ("gpt-5.1", [{**chunk, "model": ""} for chunk in chat(TEXT, 4)]),
        ("", [{**chunk, "model": "gpt-5.1"} for chunk in chat(TEXT, 4)]),
        ("deepseek-r1", [apart, *chat(TEXT, 4)]),
        ("gemma-4", [thought, *gemini(TEXT, 4)]),
    ):
        with loom.open(tmp_path / f"w{model}", durable=False, model=model) as ctx:
            ctx.user("Do it.")
            ctx.turn()
            assert told(list(ctx.collect(chunks)))[0] == ctx.text == TEXT
            ctx.user("Again.")
            ctx.turn()  # half a tag that was held back comes before the chunk that ends the text
            assert told(list(ctx.collect(chat("a <thin", 3))))[0] == ctx.text == "a <thin"


def test_an_asynchronous_stream(asked: loom.Context, tmp_path: Path) -> None:
    """The same of `async for`, by a Context and by an AsyncContext."""

    async def stream() -> AsyncIterator[Chunk]:
        for chunk in chat(TEXT, 3):
            yield chunk

    async def run() -> None:
        assert told([chunk async for chunk in asked.collect(stream())])[0] == SAID
        async with loom.aio.open(tmp_path / "a", durable=False) as ctx:
            await ctx.user("Do it.")
            await ctx.turn()
            assert told([chunk async for chunk in ctx.collect(stream())])[0] == SAID

    asyncio.run(run())
