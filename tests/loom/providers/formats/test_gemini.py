"""Gemini's contents, read and written."""

from typing import Any

import pytest

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.gemini import PLACEHOLDER, GeminiEncoder, decode
from loom.providers.formats.unknown import UnknownReply
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock, ThoughtBlock
from tests.kit.cases import all_cases

SIGNED = '{"next":{"thought_signature":"/v/9"}}'


def response(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a response with one candidate."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}], **fields}


@all_cases(
    ("part", "parts"),
    [
        ({"text": "hi"}, (Speech("hi"),)),
        ({"text": ""}, ()),
        ({"text": " \n"}, (Speech(" \n"),)),
        ({"text": "hm", "thought": True}, (Reasoning("hm"),)),
        ({"text": "hi", "thought": False}, (Speech("hi"),)),
        (
            {"text": "hm", "thought": True, "thought_signature": b"\x01"},
            (Reasoning("hm", '{"text":"hm","thought":true,"thought_signature":"AQ=="}', "gemini"),),
        ),
        (
            {"text": "hi", "thought_signature": b"\xfe\xff\xfd"},
            (Reasoning("", SIGNED, "gemini"), Speech("hi")),
        ),
        (
            {"text": "hi", "thoughtSignature": "/v/9", "inlineData": None},
            (Reasoning("", SIGNED, "gemini"), Speech("hi")),
        ),
        (
            {"text": "", "thought_signature": b"\x01"},
            (Reasoning("", '{"text":"","thought_signature":"AQ=="}', "gemini"),),
        ),
        (
            {"functionCall": {"id": "x", "name": "a", "args": {"camelCase": None}}},
            (ToolCall("x", "a", '{"camelCase":null}'),),
        ),
        ({"function_call": {"id": "x", "name": "a", "args": None}}, (ToolCall("x", "a", "{}"),)),
        (
            {"function_call": {"id": "x", "name": "a"}, "thought_signature": b"\xfe\xff\xfd"},
            (Reasoning("", SIGNED, "gemini"), ToolCall("x", "a", "{}")),
        ),
        (
            {"executableCode": {"code": "1", "language": "PYTHON"}},
            (Reasoning("", '{"executable_code":{"code":"1","language":"PYTHON"}}', "gemini"),),
        ),
        ({}, ()),
    ],
)
def test_decode(part: dict[str, Any], parts: tuple[Any, ...]) -> None:
    """Texts and calls are read, signatures stand before them, other parts are opaque."""
    assert decode(response(part)) == Reply(parts)
    assert decode({"role": "model", "parts": [part]}) == Reply(parts)


def test_decode_usage() -> None:
    """The prompt's size is what the service counted, with what its cache served."""
    usage = {"promptTokenCount": 90, "cachedContentTokenCount": 70, "candidatesTokenCount": 5}
    assert decode(response(modelVersion="m", usageMetadata=usage)) == Reply((), "m", 90)


@all_cases(
    "value",
    [
        {"candidates": []},
        {"candidates": None, "prompt_feedback": {"block_reason": "SAFETY"}},
        {"promptFeedback": {"blockReason": "OTHER"}},
        {"candidates": [{"finish_reason": "MALFORMED_FUNCTION_CALL"}]},
        {"candidates": [{"finish_reason": "SAFETY", "content": None}]},
        {"candidates": [{"finish_reason": "STOP", "content": {"role": "model", "parts": None}}]},
    ],
)
def test_decode_without_content(value: dict[str, Any]) -> None:
    """What ended without content is an empty reply, which goes back as one that says so."""
    assert decode(value) == Reply(())
    assert wire(USER, Message("assistant", ()))[1:] == [("model", [{"text": "(no text)"}])]


@all_cases(
    "value",
    [
        {},
        {"candidates": "x"},
        {"candidates": ["x"]},
        {"candidates": [{"content": "x"}]},
        {"role": "user", "parts": []},
        response({"function_call": {"args": {}}}),
        {"candidates": [{"content": {"parts": ["x"]}}]},
        "text",
    ],
)
def test_decode_unknown(value: object) -> None:
    """What is no reply is refused, never half-read."""
    with pytest.raises(UnknownReply):
        decode(value)


USER = Message("user", (TextBlock("go"),))


def step(id: str, *blocks: ThoughtBlock | TextBlock, text: str = "done") -> list[Message]:
    """Return a call and its result."""
    return [
        Message("assistant", (*blocks, CallBlock(id, "a", "{}"))),
        Message("tool", (ResultBlock(id, "a", text),)),
    ]


def wire(*messages: Message) -> list[Any]:
    """Return the (role, parts) pairs messages become."""
    encoder = GeminiEncoder()
    encoder.extend(messages)
    return [(content["role"], content["parts"]) for content in encoder.messages]


def called(signature: bytes | None = PLACEHOLDER, **fields: Any) -> dict[str, Any]:
    """Return a call's part."""
    signed = {} if signature is None else {"thought_signature": signature}
    return {"function_call": {**fields, "name": "a", "args": {}}, **signed}


def answer(response: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a result's part."""
    return {"function_response": {**fields, "name": "a", "response": response}}


def test_nothing() -> None:
    """Without messages there is nothing to send."""
    assert GeminiEncoder().request() == {"contents": []}


def test_instructions() -> None:
    """Leading instructions stand in the configuration, later ones are said as the user."""
    encoder = GeminiEncoder()
    rules = Message("system", (TextBlock("a"), TextBlock(" "), TextBlock("b")))
    encoder.extend([rules, USER, Message("system", (TextBlock("late"),))])
    assert encoder.request() == {
        "config": {"system_instruction": "a\n\nb"},
        "contents": [{"role": "user", "parts": [{"text": "go"}, {"text": "late"}]}],
    }
    assert encoder.spans == [0, 1, 1]


def test_responses_stand_alone() -> None:
    """Responses share a content of their own; texts after them stand in the next."""
    both = Message("assistant", (CallBlock("x", "a", "{}"), CallBlock("y", "a", "")))
    results = [Message("tool", (ResultBlock(id, "a", id),)) for id in ("x", "y")]
    assert wire(USER, USER, both, *results, USER, USER) == [
        ("user", [{"text": "go"}, {"text": "go"}]),
        ("model", [called(id="x"), called(None, id="y")]),
        ("user", [answer({"output": "x"}, id="x"), answer({"output": "y"}, id="y")]),
        ("user", [{"text": "go"}, {"text": "go"}]),
    ]


def test_starts_with_user() -> None:
    """A conversation that starts with a reply is given a first turn; adjacent replies merge."""
    said = Message("assistant", (TextBlock("a"),))
    assert wire(said, said) == [
        ("user", [{"text": "(the conversation resumes)"}]),
        ("model", [{"text": "a"}, {"text": "a"}]),
    ]


@all_cases(
    ("id", "sent"),
    [
        ("x1", {"id": "x1"}),
        ("toolu_01", {"id": "toolu_01"}),
        ("", {}),
        ("call_0123456789abcdef", {}),
    ],
)
def test_ids(id: str, sent: dict[str, str]) -> None:
    """An id a model gave goes back with call and response; one Loom made stays inside."""
    _, (_, [call]), (_, [result]) = wire(USER, *step(id))
    assert call == called(**sent)
    assert result == answer({"output": "done"}, **sent)


def test_derived_ids_stay_inside() -> None:
    """Calls that came without an id are told apart inside, and go back without one."""
    bare = {"function_call": {"name": "a"}}
    calls = decode(response(bare, bare, response_id="r")).calls
    assert len({call.id for call in calls}) == 2
    assert wire(USER, *step(calls[0].id))[1] == ("model", [called()])


@all_cases(
    ("block", "signature"),
    [
        (ThoughtBlock(SIGNED, "gemini"), b"\xfe\xff\xfd"),
        (ThoughtBlock('{"next":{"thought_signature":"_v_9"}}', "gemini"), b"\xfe\xff\xfd"),
        (ThoughtBlock('{"next":{"thought_signature":"AQ"}}', "gemini"), b"\x01"),
        (ThoughtBlock('{"next":{"thought_signature":"?"}}', "gemini"), PLACEHOLDER),
        (ThoughtBlock(SIGNED, "anthropic"), PLACEHOLDER),
        (TextBlock(" "), PLACEHOLDER),
    ],
)
def test_signatures(block: ThoughtBlock | TextBlock, signature: bytes) -> None:
    """A call goes back with its signature; the first of a step without one gets the stand-in."""
    assert wire(USER, *step("x", block))[1] == ("model", [called(signature, id="x")])


@all_cases(
    ("text", "error", "response"),
    [
        ("fine", False, {"output": "fine"}),
        ("", False, {"output": "(no output)"}),
        ("gone", True, {"error": "gone"}),
        ("\n", True, {"error": "(no output)"}),
    ],
)
def test_result(text: str, error: bool, response: dict[str, str]) -> None:
    """A result is an output or an error, never blank."""
    rows = wire(USER, step("x")[0], Message("tool", (ResultBlock("x", "a", text, error),)))
    assert rows[2] == ("user", [answer(response, id="x")])


@all_cases(
    ("arguments", "args"),
    [
        ('{"x":{"y":[null]}}', {"x": {"y": [None]}}),
        ("", {}),
        ("{}", {}),
        ("[1]", {"_raw": "[1]"}),
        ('{"x":', {"_raw": '{"x":'}),
    ],
)
def test_arguments(arguments: str, args: Any) -> None:
    """Arguments are sent as an object; what is none is sent as text inside one."""
    _, (_, [part]) = wire(USER, Message("assistant", (CallBlock("x", "a", arguments),)))
    assert part["function_call"]["args"] == args
