"""The SDKs' own types, against requests that fit and requests that do not."""

from copy import deepcopy
from typing import Any

import pytest

from loom_bench.laws.sdk_types import SdkTypes, available
from tests.kit.cases import all_cases

pytestmark = pytest.mark.skipif(not available(), reason="the providers' SDKs are not installed")
Request = dict[str, Any]
CALL = {"id": "c", "type": "function", "function": {"name": "a", "arguments": "{}"}}
SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": False}
TOOL = {"name": "a", "parameters": SCHEMA}
DECLARED = {"function_declarations": [{"name": "a", "parameters_json_schema": SCHEMA}]}
THOUGHT = {"type": "thinking", "thinking": "t", "signature": "s"}
USE = {"type": "tool_use", "id": "c", "name": "a", "input": {"x": "1"}}
SIGNED = {"function_call": {"name": "a", "args": {}}, "thought_signature": b"\xff"}
ANSWER = {"function_response": {"name": "a", "response": {"output": "1"}}}
REQUESTS: dict[str, Request] = {
    "openai": {
        "model": "m",
        "max_completion_tokens": 5,
        "prompt_cache_key": "k",
        "tools": [{"type": "function", "function": TOOL}],
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
        ],
    },
    "responses": {
        "model": "m",
        "instructions": "s",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 16,
        "tools": [{"type": "function", **TOOL, "strict": False}],
        "input": [
            {"role": "user", "content": "go"},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
            {"type": "function_call", "call_id": "c", "name": "a", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "done"},
        ],
    },
    "anthropic": {
        "model": "m",
        "max_tokens": 5,
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "a", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [THOUGHT, USE]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        ],
    },
    "gemini": {
        "model": "m",
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [SIGNED]},
            {"role": "user", "parts": [ANSWER]},
        ],
        "config": {
            "system_instruction": "s",
            "max_output_tokens": 5,
            "automatic_function_calling": {"disable": True},
            "tools": [DECLARED],
        },
    },
}


@all_cases(
    ("format", "path", "value"),
    [
        ("openai", ("messages", 0, "mood"), 1),
        ("openai", ("messages", 2, "tool_calls", 0, "index"), 0),
        ("openai", ("messages", 2, "tool_calls", 0, "function", "arguments"), {}),
        ("responses", ("input", 0, "name"), "a"),
        ("responses", ("input", 1, "summary"), None),
        ("responses", ("max_tokens",), 5),
        ("anthropic", ("messages", 1, "content", 0, "format"), "a"),
        ("anthropic", ("messages", 1, "content", 1, "input"), "{}"),
        ("anthropic", ("tools", 0, "input_schema"), None),
        ("gemini", ("contents", 0, "parts", 0, "type"), "text"),
        ("gemini", ("contents", 2, "parts", 0, "function_response", "response"), "1"),
        ("gemini", ("config", "tools", 0, "function_declarations", 0, "strict"), True),
        ("gemini", ("max_output_tokens",), 5),
    ],
)
def test_what_does_not_fit(format: str, path: tuple[Any, ...], value: object) -> None:
    """An unknown key or a value of another type is found, however deep it stands."""
    request = deepcopy(REQUESTS[format])
    place: Any = request
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    found = SdkTypes(format).refused(request)
    assert found and (len(path) == 1 or str(path[0]) in found[0]), found


@all_cases(
    ("format", "key"), [("openai", "model"), ("anthropic", "max_tokens"), ("gemini", "model")]
)
def test_what_is_missing(format: str, key: str) -> None:
    """A required argument that is not there is found."""
    request = {name: value for name, value in REQUESTS[format].items() if name != key}
    assert any(f".{key}: " in line for line in SdkTypes(format).refused(request))


def test_what_other_hosts_add() -> None:
    """Reasoning that hosts of Chat Completions put beside the SDK's keys is no fault."""
    request = deepcopy(REQUESTS["openai"])
    request["messages"][2]["reasoning_details"] = [{"type": "reasoning.encrypted", "data": "d"}]
    request["messages"][2]["tool_calls"][0]["extra_content"] = {"google": {}}
    assert SdkTypes("openai").refused(request) == []


@all_cases("format", REQUESTS)
def test_each_value_is_validated_once(format: str) -> None:
    """Messages seen before, and a rest seen before, cost no validation."""
    types = SdkTypes(format)
    assert types.refused(REQUESTS[format]) == []
    checked = types.checked
    types.refused(deepcopy(REQUESTS[format]))
    assert types.checked == checked
    types.refused({**REQUESTS[format], "model": "other"})
    assert types.checked == checked + 1
