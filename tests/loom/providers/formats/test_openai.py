"""Chat Completions and Gemini's contents, read and written."""

from typing import Any

import pytest

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.gemini import PLACEHOLDER, GeminiEncoder
from loom.providers.formats.openai import OpenAIEncoder, decode
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock, ThoughtBlock
from tests.kit.cases import all_cases


def call(id: str | None, name: str, arguments: Any) -> dict[str, Any]:
    """Return a call as the provider writes it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(**fields: Any) -> dict[str, Any]:
    """Return an assistant message with the fields a client library fills in."""
    return {"role": "assistant", "content": None, "refusal": None, "tool_calls": None, **fields}


REFUSED = Reasoning("", '{"next":{"type":"refusal"}}', "openai")


@all_cases(
    ("message", "parts"),
    [
        (assistant(content="  two\n lines "), (Speech("  two\n lines "),)),
        (assistant(content=""), ()),
        (
            assistant(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            (Speech("a"), Speech("b")),
        ),
        (assistant(refusal="I won't."), (REFUSED, Speech("I won't."))),
        (assistant(content=[{"type": "refusal", "refusal": "no"}]), (REFUSED, Speech("no"))),
        (assistant(refusal=" "), ()),
        (
            assistant(content="look", tool_calls=[call("c2", "b", "{}"), call("c1", "a", "{}")]),
            (Speech("look"), ToolCall("c2", "b", "{}"), ToolCall("c1", "a", "{}")),
        ),
        (
            assistant(tool_calls=[call("c", "a", {"x": [1, "é"]})]),
            (ToolCall("c", "a", '{"x":[1,"é"]}'),),
        ),
        (assistant(tool_calls=[call("c", "a", None)]), (ToolCall("c", "a", "{}"),)),
        (
            assistant(
                tool_calls=[{"id": "c", "type": "custom", "custom": {"name": "a", "input": "x"}}]
            ),
            (Reasoning("", '{"next":{"type":"custom"}}', "openai"), ToolCall("c", "a", "x")),
        ),
        (
            assistant(content="so", reasoning_content="hm"),
            (Reasoning("hm", '{"reasoning_content":"hm"}', "openai"), Speech("so")),
        ),
        (
            assistant(content="so", reasoning_details=[{"data": "zz"}]),
            (Reasoning("", '{"reasoning_details":[{"data":"zz"}]}', "openai"), Speech("so")),
        ),
    ],
)
def test_decode_message(message: dict[str, Any], parts: tuple[Any, ...]) -> None:
    """An assistant message keeps its texts and calls verbatim and in order."""
    assert decode(message) == Reply(parts)


def test_decode_old_function_call() -> None:
    """The old function_call becomes a call whose id depends only on what it says."""
    message = assistant(function_call={"name": "a", "arguments": "{}"})
    [made] = decode(message).calls
    assert (made.name, made.arguments) == ("a", "{}")
    assert made.id.startswith("call_")
    assert decode(message).calls == (made,)


TEXT = (TextBlock("one"), TextBlock(" \n"), TextBlock("two"))


@all_cases(
    ("text", "error", "content"),
    [
        ("Error: gone", True, "Error: gone"),
        (" [ERROR] gone", True, " [ERROR] gone"),
        ("<error>gone</error>", True, "<error>gone</error>"),
        ("gone", True, "[error] gone"),
        ("an error", True, "[error] an error"),
        ("", False, "(no output)"),
        ("\n", True, "[error] (no output)"),
    ],
)
def test_encode_result(text: str, error: bool, content: str) -> None:
    """A failed result says so at its start, exactly once."""
    encoder = OpenAIEncoder()
    encoder.extend([Message("tool", (ResultBlock("c", "a", text, error),))])
    assert encoder.messages == [{"role": "tool", "tool_call_id": "c", "content": content}]


def test_encode_refuses_two_results() -> None:
    """A tool message with more than one result is refused; what came before it stays."""
    encoder = OpenAIEncoder()
    with pytest.raises(ValueError, match="exactly one result"):
        encoder.extend([Message("user", TEXT), Message("tool", (ResultBlock("c", "a", ""),) * 2)])
    assert [message["role"] for message in encoder.messages] == ["user"]


SIGNED = '{"next":{"thought_signature":"/v/9"}}'
USER = Message("user", (TextBlock("go"),))


def wire(*messages: Message) -> list[Any]:
    """Return the (role, parts) pairs messages become."""
    encoder = GeminiEncoder()
    encoder.extend(messages)
    return [(content["role"], content["parts"]) for content in encoder.messages]


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
    step = Message("assistant", (block, CallBlock("x", "a", "{}")))
    called = {"function_call": {"id": "x", "name": "a", "args": {}}}
    assert wire(USER, step)[1] == ("model", [{**called, "thought_signature": signature}])
