"""The server refuses every broken rule of OpenAI's two APIs with their status and words.

Each row takes a lawful request of two tool steps (two calls, then a text and one call) and breaks
one thing in it. Requests are plain values; `extra` goes into the body past the SDK's own checks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.kit.cases import all_cases

Request = dict[str, Any]
Change = Callable[[Request], object]
Row = tuple[str, Change, str]
Refusal = Callable[[str, Change], Any]


def extra(**fields: Any) -> Change:
    """Put fields into the body, whatever the SDK thinks of them."""

    def change(request: Request) -> None:
        if "contents" in request:
            request["config"]["http_options"] = {"extra_body": fields}
        else:
            request["extra_body"] = fields

    return change


def text_of(request: Request, words: str) -> None:
    """Change what the user said first."""
    said = next(m for m in request["messages"] if m["role"] == "user")
    said["content"] = words


def schema(request: Request) -> dict[str, Any]:
    """The first tool's declaration in Chat."""
    held: dict[str, Any] = request["tools"][0]["function"]
    return held


CHAT: list[Row] = [
    ("unknown field", extra(nonsense=1), "Unknown parameter: 'nonsense'."),
    ("no model", extra(model=""), "you must provide a model parameter"),
    ("max_tokens", extra(max_tokens=9), "Unsupported parameter: 'max_tokens'"),
    (
        "wrong type",
        lambda r: text_of(r, 3),
        "Invalid type for 'messages[1].content': expected one of a string or array of objects, but"
        " got an integer instead.",
    ),
    (
        "unknown role",
        lambda r: r["messages"][1].update(role="robot"),
        "Invalid value: 'robot'. Supported values are: 'system', 'developer', 'user'",
    ),
    (
        "unknown message field",
        lambda r: r["messages"][1].update(time=3),
        "Unknown parameter: 'messages[1].time'.",
    ),
    ("no messages", lambda r: r["messages"].clear(), "Invalid 'messages': empty array."),
    ("no tools", lambda r: r["tools"].clear(), "Invalid 'tools': empty array."),
    (
        "a result is missing",
        lambda r: r["messages"].pop(4),
        "An assistant message with 'tool_calls' must be followed by tool messages responding to"
        " each 'tool_call_id'. The following tool_call_ids did not have response messages: call_",
    ),
    (
        "a word between call and result",
        lambda r: r["messages"].insert(3, {"role": "user", "content": "Wait."}),
        "An assistant message with 'tool_calls' must be followed by tool messages",
    ),
    (
        "an answer twice",
        lambda r: r["messages"].insert(4, r["messages"][3]),
        "Duplicate value for 'tool_call_id' of 'call_",
    ),
    (
        "an unknown id",
        lambda r: r["messages"][3].update(tool_call_id="call_zz"),
        "'tool_call_id' of 'call_zz' not found in 'tool_calls' of previous message.",
    ),
    (
        "a result without a call",
        lambda r: r["messages"].pop(2),
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ),
    (
        "nothing said",
        lambda r: r["messages"].append({"role": "assistant", "content": None}),
        "Invalid value for 'content': expected a string, got null.",
    ),
    (
        "a long id",
        lambda r: r["messages"][2]["tool_calls"][0].update(id="x" * 41),
        "string too long. Expected a string with maximum length 40",
    ),
    (
        "a tool's name",
        lambda r: schema(r).update(name="read file"),
        "Invalid 'tools[0].function.name': string does not match pattern.",
    ),
    (
        "a tool's schema",
        lambda r: schema(r).update(parameters={"type": "string"}),
        "Invalid schema for function 'read': schema must be a JSON Schema of 'type: \"object\"'",
    ),
    (
        "reasoning of another's",
        lambda r: r["messages"][2]["reasoning_details"][0].update(signature="AAAA"),
        "Invalid `signature` in `reasoning_details`",
    ),
    (
        "reasoning of other words",
        lambda r: r["messages"][2]["reasoning_details"][0].update(text="Other."),
        "Invalid `signature` in `reasoning_details`",
    ),
    ("a changed prefix", lambda r: text_of(r, "Other."), "Invalid `signature`"),
]


def item(request: Request, kind: str, number: int = 0) -> dict[str, Any]:
    """The n-th input item of a kind."""
    found = [one for one in request["input"] if one.get("type") == kind]
    held: dict[str, Any] = found[number]
    return held


def without(request: Request, kind: str, number: int = 0) -> None:
    """Take the n-th input item of a kind out."""
    request["input"].remove(item(request, kind, number))


RESPONSES: list[Row] = [
    ("unknown field", extra(nonsense=1), "Unknown parameter: 'nonsense'."),
    ("no model", extra(model=None), "Invalid type for 'model': expected a string, but got null"),
    ("few tokens", lambda r: r.update(max_output_tokens=5), "Expected a value >= 16, but got 5"),
    (
        "an unknown item",
        lambda r: r["input"].append({"type": "poem"}),
        "Invalid value: 'poem'. Supported values are: 'message', 'function_call'",
    ),
    (
        "the wrong kind of text",
        lambda r: r["input"][0].update(content=[{"type": "output_text", "text": "hi"}]),
        "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image',"
        " 'input_file'.",
    ),
    (
        "a null status",
        lambda r: item(r, "reasoning").update(status=None),
        "Invalid type for 'input[1].status': expected a string, but got null instead.",
    ),
    (
        "a call's id",
        lambda r: item(r, "function_call").update(id="call_1"),
        "Invalid 'input[2].id': 'call_1'. Expected an ID that begins with 'fc'.",
    ),
    (
        "an output is missing",
        lambda r: without(r, "function_call_output", 1),
        "No tool output found for function call call_",
    ),
    (
        "a word between call and output",
        lambda r: r["input"].insert(4, {"role": "user", "content": "Wait."}),
        "No tool output found for function call call_",
    ),
    (
        "an output without a call",
        lambda r: item(r, "function_call_output").update(call_id="call_zz"),
        "No tool call found for function call output with call_id call_zz.",
    ),
    (
        "an output twice",
        lambda r: r["input"].append(item(r, "function_call_output")),
        "Remove duplicate items from your input and try again.",
    ),
    (
        "an item twice",
        lambda r: r["input"].insert(2, item(r, "reasoning")),
        "Duplicate item found with id rs_",
    ),
    (
        "reasoning alone",
        lambda r: r["input"].append({**item(r, "reasoning"), "id": "rs_1"}),
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ),
    (
        "a call under its id without its reasoning",
        lambda r: without(r, "reasoning"),
        "of type 'function_call' was provided without its required 'reasoning' item: 'rs_",
    ),
    (
        "a message under its id without its reasoning",
        lambda r: without(r, "reasoning", 1),
        "of type 'message' was provided without its required 'reasoning' item: 'rs_",
    ),
    (
        "reasoning without its content",
        lambda r: item(r, "reasoning").pop("encrypted_content"),
        "not found. Items are not persisted when `store` is set to false.",
    ),
    (
        "forged reasoning",
        lambda r: item(r, "reasoning").update(encrypted_content="gAAAAabc"),
        "could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    ),
    (
        "a changed prefix",
        lambda r: r["input"][0].update(content="Other."),
        "could not be verified.",
    ),
    (
        "a model that does not reason",
        lambda r: r.update(model="gpt-4.1"),
        "Encrypted content is not supported with this model.",
    ),
    (
        "a tool's schema",
        lambda r: r["tools"][0].update(parameters={"type": "array"}),
        "Invalid schema for function 'read'",
    ),
]


@all_cases(("name", "change", "words"), CHAT, ids=[row[0] for row in CHAT])
def test_chat_completions(name: str, change: Change, words: str, refusal: Refusal) -> None:
    """Chat Completions answers a broken rule with a 400 in OpenAI's words."""
    error = refusal("openai", change)
    assert error.status_code == 400
    assert words in error.body["message"]
    assert error.body["type"] == "invalid_request_error"


@all_cases(("name", "change", "words"), RESPONSES, ids=[row[0] for row in RESPONSES])
def test_responses(name: str, change: Change, words: str, refusal: Refusal) -> None:
    """Responses answers a broken rule with a 400 (a lost item: 404) in OpenAI's words."""
    error = refusal("responses", change)
    assert error.status_code == (404 if "not found." in words else 400)
    assert words in error.body["message"]
