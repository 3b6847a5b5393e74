"""The laws of Chat Completions, each broken once."""

from typing import Any

from tests.kit.cases import all_cases

Message = dict[str, Any]


def user(content: Any = "go") -> Message:
    """Return a user's message."""
    return {"role": "user", "content": content}


def call(id: Any, name: Any = "a", arguments: Any = "{}") -> Message:
    """Return a call."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def called(*ids: str, content: str | None = None) -> Message:
    """Return an assistant's message with calls."""
    return {"role": "assistant", "content": content, "tool_calls": [call(id) for id in ids]}


def answer(id: str, content: Any = "done") -> Message:
    """Return a result."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def tool(name: str, **schema: Any) -> Message:
    """Return a declaration."""
    return {"type": "function", "function": {"name": name, "parameters": schema}}


SYSTEM = {"role": "system", "content": "s"}
REPLY = {"role": "assistant", "content": "ok"}


@all_cases(
    ("messages", "violations"),
    [
        ([], ["messages: there are none"]),
        (["go"], ["no object"]),
        ([{"role": "model", "content": "a"}], ["no role is named 'model'"]),
        ([user(), SYSTEM], ["message 1: a system message stands after others"]),
        ([called("c")], ["message 0: call 'c' has no result"]),
        ([called("c"), user(), answer("c")], ["no result", "not made directly before"]),
        ([called("c", "d"), answer("c"), called("e"), answer("e")], ["'d' has no result"]),
        ([called("c"), answer("c"), answer("c")], ["second time"]),
        ([answer("c")], ["not made"]),
        ([called("c"), answer("c"), user(), answer("c")], ["not made"]),
        ([called("c", "c"), answer("c")], ["two calls"]),
        ([{**user(), "tool_calls": [call("c")]}, answer("c")], ["calls in a message of role"]),
        ([{**REPLY, "tool_calls": []}], ["no list of one call"]),
        ([called(""), answer("")], ["1 to 40 characters"]),
        ([{**REPLY, "tool_calls": [call("c", "a.b")]}, answer("c")], ["the name 'a.b'"]),
        ([{**REPLY, "tool_calls": [call("c", "a", {})]}, answer("c")], ["are no text"]),
        ([user(" ")], ["blank"]),
        ([user([{"type": "text", "text": ""}])], ["blank"]),
        ([called("c"), answer("c", "")], ["tool content is blank"]),
        ([called("c", content=""), answer("c")], ["blank"]),
    ],
)
def test_unlawful_messages(messages: list[Any], violations: list[str], finds: Any) -> None:
    """Each broken law is named once, in order."""
    finds("openai", {"messages": messages}, violations)


@all_cases(
    ("rest", "violations"),
    [
        ({}, []),
        ({"max_completion_tokens": 1}, []),
        ({"max_tokens": 4096, "tools": [tool("a-b_C9", type="object")]}, []),
        ({"tools": [{"type": "function", "function": {"name": "none"}}]}, []),
        ({"max_completion_tokens": 0}, ["max_completion_tokens: 0"]),
        ({"max_tokens": 1.5}, ["1.5"]),
        ({"max_tokens": 1, "max_completion_tokens": 1}, ["one of them only"]),
        ({"tools": [tool("a" * 65, type="object")]}, ["the name"]),
        ({"tools": [tool("a", type="object")] * 2}, ["two have the name 'a'"]),
        ({"tools": [tool("a", type="array")]}, ["describes no object"]),
        ({"tools": [tool("a")]}, ["describes no object"]),
    ],
)
def test_the_rest_of_a_request(rest: dict[str, Any], violations: list[str], finds: Any) -> None:
    """Tools and the limit of the reply are checked too."""
    finds("openai", {"model": "m", "messages": [user()], **rest}, violations)
