"""A provider's stream goes through chunk by chunk, and its reply is taken at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from loom.providers.formats import FORMATS
from loom.providers.formats.laws import broken
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
TAILS = {  # where a format's messages stand, and how many the reply and its results take
    "openai": ("messages", 3),
    "responses": ("input", 5),
    "anthropic": ("messages", 2),
    "gemini": ("contents", 2),
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


@every_stream
def test_chunks_go_through(asked: Asked, name: str) -> None:
    """Each chunk comes out as the very object it went in, and one commit follows the last."""
    chunks = STREAMS[name][0]()
    kept = json.encode(chunks)
    through: Any = asked.ctx.collect(iter(chunks))
    seen = []
    for chunk in through:
        assert chunk is chunks[len(seen)]
        assert len(asked.stored()) == len(asked.before)
        seen.append(chunk)
    assert len(seen) == len(chunks)
    assert len(asked.stored()) == len(asked.before) + 1
    assert json.encode(chunks) == kept


@every_stream
def test_the_reply_is_the_unstreamed_one(asked: Asked, twin: Asked, name: str) -> None:
    """What was collected stands as the whole reply does: entry, calls, usage, later requests."""
    asked.passed(STREAMS[name][0]())
    twin.ctx.reply(STREAMS[name][1]())
    entry = asked.ctx.window.history.next_id - 1
    assert entry == twin.ctx.window.history.next_id - 1 == 2
    assert asked.ctx.history.restore(entry).reply == twin.ctx.history.restore(entry).reply
    assert asked.ctx.calls == twin.ctx.calls
    assert [(call.id, call.name) for call in asked.ctx.calls] == [("a", "Bash"), ("b", "Read")]
    assert asked.ctx.window.sent.samples == twin.ctx.window.sent.samples
    assert asked.ctx.window.sent.samples[-1].reported == 1_234
    for each in (asked, twin):
        each.ctx.result("b", "of b")
        each.ctx.result("a", "of a")
    assert SAID in str(asked.ctx.turn().request())
    for format in FORMATS:
        one, two = (each.ctx.turn().request(format, model="m") for each in (asked, twin))
        assert broken(format, one) == []
        assert str(one).count("of a") == 1
        for request in (one, two):
            # The dashboard before the reply tells the time, key and mark are a workspace's own.
            where, kept = TAILS[format]
            request[where] = request[where][-kept:]
            request.pop("prompt_cache_key", None)
        mine, other = (each.ctx.window.config.mark.encode() for each in (asked, twin))
        assert json.encode(one) == json.encode(two).replace(other, mine)


@every_stream
def test_left_early(asked: Asked, name: str) -> None:
    """A consumer that breaks out, wherever, leaves no record; the next try is taken."""
    chunks = STREAMS[name][0]()
    for stop in (1, len(chunks) // 2, len(chunks) - 1):
        through: Any = asked.ctx.collect(iter(chunks))
        for _ in range(stop):
            next(through)
        through.close()
        assert asked.untouched()
    asked.passed(chunks)
    assert len(asked.ctx.calls) == 2


def test_a_finished_reply_left_before_its_usage(asked: Asked) -> None:
    """Left after the finish but before the end of the stream: nothing is taken."""
    through: Any = asked.ctx.collect(iter(chat_stream()))
    for chunk in through:
        if chunk["choices"][0]["finish_reason"]:
            break
    through.close()
    assert asked.untouched()


def test_never_begun(asked: Asked) -> None:
    """A stream that nobody iterates leaves nothing."""
    asked.ctx.collect(iter(chat_stream()))
    assert asked.untouched()


@every_stream
def test_the_stream_breaks(asked: Asked, name: str) -> None:
    """The stream's own exception comes through as it is, after the chunks before it."""
    error = ConnectionResetError("gone")
    chunks = STREAMS[name][0]()

    def breaking() -> Iterator[Chunk]:
        yield from chunks[: len(chunks) // 2]
        raise error

    through: Any = asked.ctx.collect(breaking())
    assert [next(through) for _ in range(len(chunks) // 2)] == chunks[: len(chunks) // 2]
    with pytest.raises(ConnectionResetError) as caught:
        next(through)
    assert caught.value is error
    assert asked.untouched()


@every_stream
def test_without_its_end(asked: Asked, name: str) -> None:
    """A stream that ends before the provider said so has no reply, wherever it ends."""
    chunks = STREAMS[name][0]()
    ends = next(
        at
        for at, chunk in enumerate(chunks)
        if chunk.get("type") in ("message_stop", "response.completed")
        or any(c.get("finish_reason") for c in chunk.get("choices") or [])
        or any(c.get("finish_reason") for c in chunk.get("candidates") or [])
    )
    for stop in (1, ends // 2, ends):
        with pytest.raises(loom.BrokenStream):
            asked.passed(chunks[:stop])
        assert asked.untouched()


def test_an_empty_stream(asked: Asked) -> None:
    """A stream without a chunk is a broken one."""
    with pytest.raises(loom.BrokenStream):
        asked.passed([])
    assert asked.untouched()
    assert issubclass(loom.BrokenStream, loom.LoomError)


STRANGE: list[Any] = [{"x": 1}, {}, {"type": "unheard.of"}]


@pytest.mark.parametrize("chunk", STRANGE, ids=repr)
def test_a_stream_of_no_known_shape(asked: Asked, chunk: Any) -> None:
    """A stream nobody knows is refused by a typed error, and nothing is recorded."""
    with pytest.raises(loom.UnknownReply):
        asked.passed([chunk, chunk])
    assert asked.untouched()


FIRST = {
    "anthropic": {"type": "ping"},
    "chat": {
        "id": "",
        "object": "",
        "created": 0,
        "model": "",
        "choices": [],
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}],
    },
}


@pytest.mark.parametrize("name", FIRST)
def test_what_comes_before_the_reply(asked: Asked, name: str) -> None:
    """A sign of life, or Azure's word on the prompt, may come before anything of the reply."""
    chunks = [FIRST[name], *STREAMS[name][0]()]
    assert asked.passed(chunks) == chunks
    assert len(asked.ctx.calls) == 2


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


def test_open_calls(asked: Asked) -> None:
    """While calls wait, no chunk is taken from the stream at all."""
    asked.passed(chat_stream())
    taken = []

    def watched() -> Iterator[Chunk]:
        for chunk in chat_stream():
            taken.append(chunk)
            yield chunk

    before = asked.stored()
    with pytest.raises(loom.OpenCalls):
        list(asked.ctx.collect(watched()))  # type: ignore[arg-type]
    assert taken == []
    assert asked.stored() == before


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


def test_closed_while_it_runs(asked: Asked) -> None:
    """Where the context is closed while the stream runs, its reply is refused."""
    through: Any = asked.ctx.collect(iter(chat_stream()))
    next(through)
    asked.ctx.close()
    with pytest.raises(loom.Closed):
        list(through)
    assert asked.stored() == asked.before


def test_words_come_between(asked: Asked) -> None:
    """What the user says while the stream runs is kept, and so is the reply."""
    through: Any = asked.ctx.collect(iter(chat_stream()))
    next(through)
    asked.ctx.user("and hurry")
    list(through)
    for call in asked.ctx.calls:
        asked.ctx.result(call, "fine")
    turn = asked.ctx.turn()
    assert "and hurry" in str(turn.request())
    assert SAID in str(turn.request())
    for format in FORMATS:
        assert broken(format, turn.request(format, model="m")) == []


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


def test_an_asynchronous_stream_goes_wrong(asked: Asked) -> None:
    """Left, broken, cut short, empty or cancelled: nothing is recorded."""
    chunks = claude_stream()

    async def left() -> None:
        through: Any = asked.ctx.collect(later(chunks))
        await anext(through)
        await through.aclose()

    async def run(stream: AsyncIterator[Chunk]) -> None:
        through: Any = asked.ctx.collect(stream)
        async for _ in through:
            pass

    async def cancelled() -> None:
        task = asyncio.create_task(run(later(chunks)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(left())
    assert asked.untouched()
    for stream, error in (
        (later(chunks[:9], OSError("gone")), OSError),
        (later(chunks[:9]), loom.BrokenStream),
        (later([]), loom.BrokenStream),
    ):
        with pytest.raises(error):
            asyncio.run(run(stream))
        assert asked.untouched()
    asyncio.run(cancelled())
    assert asked.untouched()
    asyncio.run(run(later(chunks)))
    assert len(asked.ctx.calls) == 2
    with pytest.raises(loom.OpenCalls):
        asyncio.run(run(later(chunks)))
