"""Chat Completions, read and written."""

from types import SimpleNamespace
from typing import Any

import pytest

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.openai import OpenAIEncoder, decode
from loom.providers.formats.unknown import UnknownReply
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
        (assistant(content="hello"), (Speech("hello"),)),
        (assistant(content="  two\n lines "), (Speech("  two\n lines "),)),
        (assistant(), ()),
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
            assistant(tool_calls=[call("c", "a", '{ "x" : 1 ')]),
            (ToolCall("c", "a", '{ "x" : 1 '),),
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


def test_decode_completion() -> None:
    """A completion gives its first choice, its model and the tokens of its prompt."""
    reply = decode(
        {
            "id": "chatcmpl-1",
            "model": "gpt-x",
            "choices": [{"index": 0, "message": assistant(content="hi")}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 3},
        }
    )
    assert reply == Reply((Speech("hi"),), "gpt-x", 12)


def test_decode_object() -> None:
    """An object with attributes reads like the dict it stands for."""
    function = SimpleNamespace(name="a", arguments='{"x":1}')
    message = SimpleNamespace(
        role="assistant", content=None, tool_calls=[SimpleNamespace(id="c", function=function)]
    )
    completion = SimpleNamespace(
        choices=[SimpleNamespace(message=message)],
        model="m",
        usage=SimpleNamespace(prompt_tokens=5),
    )
    assert decode(completion) == Reply((ToolCall("c", "a", '{"x":1}'),), "m", 5)


def test_decode_model_dump() -> None:
    """An object that can dump itself is read by what it dumps."""

    class Completion:
        def model_dump(self) -> dict[str, Any]:
            return {"choices": [{"message": assistant(content="dumped")}]}

    assert decode(Completion()) == Reply((Speech("dumped"),))


def test_decode_old_function_call() -> None:
    """The old function_call becomes a call whose id depends only on what it says."""
    message = assistant(function_call={"name": "a", "arguments": "{}"})
    [made] = decode(message).calls
    assert (made.name, made.arguments) == ("a", "{}")
    assert made.id.startswith("call_")
    assert decode(message).calls == (made,)


def test_decode_missing_ids() -> None:
    """Equal calls without ids get ids of their own."""
    calls = decode(assistant(tool_calls=[call(None, "a", "{}"), call("", "a", "{}")])).calls
    assert len({made.id for made in calls}) == 2


@all_cases(
    "value",
    [
        {},
        {"choices": []},
        {"choices": [{"delta": {"content": "x"}}]},
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": "c"},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {}}]},
        7,
        None,
    ],
)
def test_decode_unknown(value: object) -> None:
    """What is no reply is refused, never half-read."""
    with pytest.raises(UnknownReply):
        decode(value)


TEXT = (TextBlock("one"), TextBlock(" \n"), TextBlock("two"))
CALLS = (CallBlock("c1", "a", "{bad"), CallBlock("c2", "b", "{}"))


@all_cases(
    ("message", "wire"),
    [
        (Message("user", (TextBlock("hi\n"),)), {"role": "user", "content": "hi\n"}),
        (Message("system", TEXT), {"role": "system", "content": "one\n\ntwo"}),
        (Message("user", TEXT), {"role": "user", "content": "one\n\ntwo"}),
        (Message("user", (TextBlock(" "),)), {"role": "user", "content": "(empty message)"}),
        (Message("user", ()), {"role": "user", "content": "(empty message)"}),
        (Message("assistant", ()), {"role": "assistant", "content": "(no text)"}),
        (
            Message("assistant", CALLS),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [call("c1", "a", '{"_raw":"{bad"}'), call("c2", "b", "{}")],
            },
        ),
        (
            Message("assistant", (TextBlock("so"), CALLS[1])),
            {"role": "assistant", "content": "so", "tool_calls": [call("c2", "b", "{}")]},
        ),
        (
            Message("assistant", (ThoughtBlock('{"type":"thinking"}', "anthropic"),)),
            {"role": "assistant", "content": "(no text)"},
        ),
        (
            Message(
                "assistant",
                (
                    ThoughtBlock('{"reasoning_details":[1],"role":"user"}', "openai"),
                    TextBlock("so"),
                ),
            ),
            {"role": "assistant", "content": "so", "reasoning_details": [1]},
        ),
        (
            Message("assistant", (ThoughtBlock(REFUSED.opaque, "openai"), TextBlock("no"))),
            {"role": "assistant", "content": None, "refusal": "no"},
        ),
        (
            Message("assistant", (ThoughtBlock(REFUSED.opaque, "other"), TextBlock("no"))),
            {"role": "assistant", "content": "no"},
        ),
    ],
)
def test_encode(message: Message, wire: dict[str, Any]) -> None:
    """Each neutral message becomes one wire message without blank content."""
    encoder = OpenAIEncoder()
    encoder.extend([message])
    assert encoder.request() == {"messages": [wire]}


@all_cases(
    ("text", "error", "content"),
    [
        ("fine", False, "fine"),
        ("Error: gone", False, "Error: gone"),
        ("Error: gone", True, "Error: gone"),
        (" [ERROR] gone", True, " [ERROR] gone"),
        ("<error>gone</error>", True, "<error>gone</error>"),
        ("gone", True, "[error] gone"),
        ("errors: 0", True, "[error] errors: 0"),
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
