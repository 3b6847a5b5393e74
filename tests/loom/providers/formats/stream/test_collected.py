"""Streams of Messages, Responses and Gemini beside what the laws of streams draw; what is no
stream, and how streams fail."""

from __future__ import annotations

from typing import Any

import pytest

from loom.errors import BadInput, BrokenStream, LoomError
from loom.providers.formats import collector_for, decode
from loom.providers.formats.stream.gemini import GeminiCollector
from loom.providers.formats.stream.responses import ResponsesCollector
from tests.kit.cases import all_cases
from tests.kit.replies import collected

Wire = dict[str, Any]

# ---- Messages

START = {
    "type": "message_start",
    "message": {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": []},
}


def block(start: Wire, *deltas: Wire) -> list[Wire]:
    """Return the events of one block."""
    return [
        {"type": "content_block_start", "index": 0, "content_block": start},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
    ]


def partial(*pieces: str) -> list[Wire]:
    """Return the deltas of a call's input."""
    return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
SAID = {"type": "text", "text": ""}
A = {"type": "text_delta", "text": "a"}
CITED = {"type": "char_location", "cited_text": "x", "document_index": 0}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
BLOCKS: dict[str, tuple[list[Wire], list[Wire]]] = {
    "unknown events": ([{"type": "news", "index": 0, "delta": A}], []),
    "a delta of no block": (block(SAID, A)[1:], []),
    "unknown deltas": (block(SAID, {"type": "mood_delta", "mood": "up"}), [SAID]),
    "citations": (
        block(SAID, A, {"type": "citations_delta", "citation": CITED}),
        [SAID | {"text": "a", "citations": [CITED]}],
    ),
    "an empty object": (block(USE | {"input": {"x": 1}}, *partial("{", "}")), [USE]),
    "input cut off": (block(USE, *partial('{"a": "b')), [USE | {"input": '{"a": "b'}]),
    "input that is no object": (block(USE, *partial("[1", "]")), [USE | {"input": "[1]"}]),
    "a result of the server's tools": (block(FOUND), [FOUND]),
    "a compaction": (
        block({"type": "compaction"}, {"type": "compaction_delta", "content": "so far"}),
        [{"type": "compaction", "content": "so far"}],
    ),
}


@all_cases(("events", "content"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_of_messages(events: list[Wire], content: list[Wire]) -> None:
    """A block is what it started as and what its deltas add."""
    reply = collected([START, *events, {"type": "message_stop"}])
    assert reply == {**START["message"], "content": content}  # type: ignore[dict-item]
    decode(reply)


# ---- Responses

CALLED = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "id": "fc"}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}
RESPONSE = {"id": "r", "object": "response", "model": "m"}
CREATED = {"type": "response.created", "response": RESPONSE | {"output": []}}
BEGUN = {"type": "response.output_item.added", "output_index": 0, "item": CALLED}


def done(item: Wire, **index: int) -> Wire:
    """Return the event of an item that is done."""
    return {"type": "response.output_item.done", **index, "item": item}


def last(output: Any) -> Wire:
    """Return the last event of a stream."""
    response = RESPONSE | {"status": "completed", "output": output}
    return {"type": "response.completed", "response": response}


@all_cases(
    ("events", "output"),
    [
        ([done(CALLED, output_index=0), last([THOUGHT])], [THOUGHT]),
        ([done(THOUGHT), done(CALLED), last(None)], [THOUGHT, CALLED]),
        ([BEGUN, {"type": "response.news", "item": CALLED}, last([])], []),
    ],
)
def test_output_of_responses(events: list[Wire], output: list[Wire]) -> None:
    """The last event's response is the reply, with the items that were done if it has none."""
    assert collected([CREATED, *events]) == RESPONSE | {"status": "completed", "output": output}


def test_a_response_is_done_at_its_end() -> None:
    """Neither items nor events about progress make a reply complete."""
    collector = ResponsesCollector()
    progress = {"type": "response.in_progress", "response": RESPONSE | {"output": [CALLED]}}
    for event in (CREATED, progress, done(CALLED, output_index=0)):
        collector.take(event)
        assert not collector.done
    assert collector.reply() == RESPONSE | {"output": [CALLED]}


# ---- Gemini

END: Wire = {"candidates": [{"finish_reason": "STOP"}]}


def content(*parts: Wire, **more: Any) -> Wire:
    """Return a chunk with the parts."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


def f(**fields: Any) -> Wire:
    """Return a part with a function call."""
    return {"function_call": fields}


def args(*values: Wire, **more: Any) -> Wire:
    """Return a part with arguments of the call before it."""
    return f(partial_args=list(values), **more)


def at(path: str, **value: Any) -> Wire:
    """Return an argument for a path."""
    return {"json_path": path, **value}


SIGNED = {"thought_signature": b"\x00sig"}
ON = {"will_continue": True}
OPEN = f(name="f", **ON)
LATE = args(at("$.x", string_value="late"))
ODD = [{"text": "a"}, {"executable_code": {"code": "1"}}, {"text": "b", "novelty": 1}]
DEEP = {"path": "ab", "n": 5, "deep": {"x.y": {"z": False}}, "none": None, "m": [0.5, -2]}
ROWS = {"rows": [{"id": "a"}, {"id": "", "price": 0.5}]}
PARTS: dict[str, tuple[list[Wire], list[Wire]]] = {
    "an empty text": ([{"text": ""}], []),
    "a null thought is speech": (
        [{"text": "a"}, {"text": "b", "thought": None}],
        [{"text": "ab"}],
    ),
    "a signature alone": ([{"text": "a"}, SIGNED], [{"text": "a"}, SIGNED]),
    "parts of unknown kinds": (ODD, ODD),
    "streamed arguments": (
        [
            OPEN | SIGNED,
            args(at("$.path", string_value="a", will_continue=True), **ON),
            args(at("$.path", string_value="b"), at("$.n", number_value=5.0), **ON),
            args(at("$.deep['x.y'].z", bool_value=False), at("$.none", null_value="NULL_VALUE"),
                 at("$.m[0]", number_value=0.5), at("$.m[1]", number_value=-2)),
            {"text": "after"},
        ],
        [f(name="f", args=DEEP) | SIGNED, {"text": "after"}],
    ),
    "streamed lists, two calls": (
        [
            OPEN,
            args(at("$.rows[0].id", string_value="a"), at("$.rows[1].id", string_value=""), **ON),
            args(at("$.rows[1].price", number_value=0.5)),
            f(),
            OPEN,
            f(),
        ],
        [f(name="f", args=ROWS), f(name="f", args={})],
    ),
    "arguments of no call": ([OPEN, f(), LATE], [f(name="f", args={}), LATE]),
}  # fmt: skip


@all_cases(("parts", "expected"), PARTS.values(), ids=PARTS)
def test_parts_of_gemini(parts: list[Wire], expected: list[Wire]) -> None:
    """Parts add up to those of a whole reply, however the chunks group them; whole numbers stay
    whole, although the library reads all numbers as floats."""
    types = pytest.importorskip("google.genai.types")
    single = [*(content(part) for part in parts), END]
    streams: list[list[Any]] = [single, [content(*parts), END]]
    if parts is not ODD:
        streams.append([types.GenerateContentResponse.model_validate(c) for c in single])
    for stream in streams:
        (candidate,) = collected(stream)["candidates"]
        assert repr(candidate["content"]) == repr({"role": "model", "parts": expected})
        assert type(candidate["finish_reason"]) is str and candidate["finish_reason"] == "STOP"


@all_cases(
    ("last", "done"),
    [
        (content(finish_reason=None), False),
        (content(finish_reason="FINISH_REASON_UNSPECIFIED"), False),
        (content(finish_reason="STOP", index=1), False),
        ({"prompt_feedback": {"block_reason": None}}, False),
        ({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, True),
        ({"prompt_feedback": {"block_reason": "SAFETY"}}, True),
    ],
)
def test_gemini_is_done(last: Wire, done: bool) -> None:
    """A reply ends with a finish reason of its first candidate, or with a blocked prompt."""
    collector = GeminiCollector()
    collector.take(content({"text": "a"}))
    assert not collector.done
    collector.take(last)
    assert collector.done is done


def test_names_of_the_host() -> None:
    """The service's names become snake_case, a function's own stay; no base64, no bytes."""
    called = {"name": "doIt", "args": {"filePath": {"innerName": 1}}}
    part = {"functionCall": called, "thoughtSignature": "not base64!"}
    (candidate,) = collected([content(part), END])["candidates"]
    [found] = candidate["content"]["parts"]
    assert found == {"function_call": called, "thought_signature": "not base64!"}


# ---- What is no stream, and what fails

NO_STREAM = [
    *(None, "data: {}", 7, {}, [], object(), {"type": 3}),
    *({"type": "message", "content": []}, {"object": "chat.completion", "choices": []}),
]


@all_cases("chunk", NO_STREAM)
def test_what_is_no_stream(chunk: object) -> None:
    """Anything else is refused, a whole reply too, naming what could be read."""
    with pytest.raises(BadInput, match="Messages stream"):
        collector_for(chunk)


def error(kind: str = "error", **fields: Any) -> Wire:
    """Return an event of an error."""
    return {"type": kind, **fields}


FAILED = {"error": {"code": "rate_limit_exceeded", "message": "slow down"}}
BUSY = {"code": 503, "message": "busy", "status": "UNAVAILABLE"}


@all_cases(
    ("chunk", "code", "said"),
    [
        (error(error={"type": "overloaded_error", "message": "Over"}), "overloaded_error", "Over"),
        (error(code="server_error", message="oops"), "server_error", "oops"),
        (error(error={"message": "oops"}), "", "oops"),
        (error("response.failed", response=FAILED), "rate_limit_exceeded", "slow down"),
        ({"error": BUSY, "candidates": []}, "503", "busy"),
        ({"error": {"code": 500}}, "500", "{'code': 500}"),
    ],
)
def test_failed(chunk: Wire, code: str, said: str) -> None:
    """An error of any provider says what the provider said."""
    with pytest.raises(BrokenStream, match="broke the reply off") as caught:
        collector_for(chunk).take(chunk)
    assert isinstance(caught.value, LoomError)
    assert (caught.value.code, caught.value.said) == (code, said)
    assert said in str(caught.value) and "nothing was recorded" in str(caught.value)
