"""What the providers' libraries give goes in as it is, and goes back as it came."""

from typing import Any

import pytest

from loom.inputs import Reply
from loom.providers.formats import decode, format_of
from loom.providers.render.message import Message, TextBlock
from tests.kit.cases import all_cases
from tests.kit.shown import shown


def sent(name: str, reply: Reply) -> list[dict[str, Any]]:
    """Return the wire messages a reply becomes, after a message of the user."""
    encoder = format_of(name).encoder()
    encoder.extend([Message("user", (TextBlock("go"),)), shown(reply)])
    return encoder.messages[1:]


TOOL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
SIGNED = {**TOOL, "extra_content": {"google": {"thought_signature": "c2ln"}}}
HIDDEN = {"type": "reasoning.encrypted", "data": "zz", "id": None}


@all_cases(
    "said",
    [
        {"refusal": "I won't."},
        {"tool_calls": [TOOL, {**TOOL, "id": "c2"}]},
        {"content": "look", "reasoning_details": [HIDDEN], "tool_calls": [SIGNED]},
    ],
)
def test_chat(said: dict[str, Any]) -> None:
    """A Chat Completion's message comes back with all that servers added to it."""
    chat = pytest.importorskip("openai.types.chat").ChatCompletion
    message = {"role": "assistant", **said}
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-x"}
    made = {**head, "choices": [choice], "usage": usage}
    for value in (made, chat.model_validate(made), chat.construct(**made)):
        reply = decode(value)
        assert (reply.model, reply.prompt_tokens) == ("gpt-x", 9)
        [wire] = sent("openai", reply)
        assert {key: item for key, item in wire.items() if item is not None} == message


CITED = {"type": "url_citation", "start_index": 0, "end_index": 1, "title": "t", "url": "u"}
TEXT = {"type": "output_text", "text": "Hi", "annotations": [CITED], "logprobs": []}
DONE = {"status": "completed"}
USED = {"type": "function_call", "name": "f"}
CODE = {"container_id": "cntr", "code": None, "outputs": None}
OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA",
     "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "message", "id": "msg_1", "role": "assistant", "phase": "commentary",
     "content": [TEXT, {"type": "refusal", "refusal": "no"}], **DONE},
    {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "x"}, **DONE},
    {"type": "code_interpreter_call", "id": "ci_1", **CODE, **DONE},
    {**USED, "id": "fc_1", "call_id": "call_1", "arguments": '{ "x" : 1 }', **DONE},
    {**USED, "id": "fc_2", "call_id": "call_2", "arguments": "{}"},
]  # fmt: skip
USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 105,
}
RESPONSE = {"id": "resp_1", "object": "response", "created_at": 1.0, "model": "gpt-5"}
ASKED = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": USAGE}


def test_responses() -> None:
    """A Response's items come back with ids, encrypted reasoning and annotations."""
    types = pytest.importorskip("openai.types.responses")
    adapter = pytest.importorskip("pydantic").TypeAdapter(types.ResponseInputItemParam)
    made: dict[str, Any] = {**RESPONSE, **ASKED, "output": OUTPUT}
    for value in (made, types.Response.model_validate(made), types.Response.construct(**made)):
        reply = decode(value)
        assert (reply.model, reply.prompt_tokens) == ("gpt-5", 100)
        wire = sent("responses", reply)
        assert wire == OUTPUT
        for item in wire:
            assert set(adapter.validate_python(item)) == set(item)
