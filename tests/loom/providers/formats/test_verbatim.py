"""What the providers' libraries give goes in as it is, and goes back as it came."""

import json
from typing import Any

import pytest

from loom.inputs import Reasoning, Reply, Speech
from loom.providers.formats import FORMATS, decode
from loom.providers.formats.envelope import is_reasoning
from loom.providers.render.message import Block, CallBlock, Message, TextBlock, ThoughtBlock
from tests.kit.cases import all_cases


def shown(reply: Reply) -> Message:
    """Return a reply as the message it is shown as at full detail."""
    blocks: list[Block] = []
    for part in reply.parts:
        if isinstance(part, Speech):
            blocks += [TextBlock(part.text)] if part.text.strip() else []
        elif isinstance(part, Reasoning):
            blocks += [ThoughtBlock(part.opaque, part.format)] if part.opaque else []
        else:
            blocks.append(CallBlock(part.id, part.name, part.arguments))
    return Message("assistant", tuple(blocks))


def sent(name: str, reply: Reply) -> list[dict[str, Any]]:
    """Return the wire messages a reply becomes, after a message of the user."""
    encoder = FORMATS[name].encoder()
    encoder.extend([Message("user", (TextBlock("go"),)), shown(reply)])
    return encoder.messages[1:]


TOOL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}


@all_cases(
    "message",
    [
        {"role": "assistant", "content": "hi"},
        {"role": "assistant", "refusal": "I won't."},
        {"role": "assistant", "tool_calls": [TOOL, {**TOOL, "id": "c2"}]},
        {
            "role": "assistant",
            "content": "look",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "zz", "id": None}],
            "tool_calls": [{**TOOL, "extra_content": {"google": {"thought_signature": "c2ln"}}}],
        },
    ],
)
def test_chat(message: dict[str, Any]) -> None:
    """A Chat Completion's message comes back with all that servers added to it."""
    chat = pytest.importorskip("openai.types.chat")
    made = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-x",
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
    }
    for value in (
        made,
        chat.ChatCompletion.model_validate(made),
        chat.ChatCompletion.construct(**made),
    ):
        reply = decode(value)
        assert (reply.model, reply.prompt_tokens) == ("gpt-x", 9)
        [wire] = sent("openai", reply)
        assert {key: item for key, item in wire.items() if item is not None} == message


RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1.0,
    "model": "gpt-5",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 105,
    },
}
OUTPUT = [
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "gAAA",
    },
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "phase": "commentary",
        "content": [
            {
                "type": "output_text",
                "text": "Hi",
                "annotations": [
                    {
                        "type": "url_citation",
                        "start_index": 0,
                        "end_index": 1,
                        "title": "t",
                        "url": "u",
                    }
                ],
                "logprobs": [],
            },
            {"type": "refusal", "refusal": "no"},
        ],
    },
    {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "x"},
    },
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": "completed",
        "container_id": "cntr",
        "code": None,
        "outputs": None,
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "f",
        "arguments": '{ "x" : 1 }',
        "status": "completed",
    },
    {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "g", "arguments": "{}"},
]


def test_responses() -> None:
    """A Response's items come back with ids, encrypted reasoning and annotations."""
    types = pytest.importorskip("openai.types.responses")
    adapter = pytest.importorskip("pydantic").TypeAdapter(types.ResponseInputItemParam)
    made = {**RESPONSE, "output": OUTPUT}
    for value in (made, types.Response.model_validate(made), types.Response.construct(**made)):
        reply = decode(value)
        assert (reply.model, reply.prompt_tokens) == ("gpt-5", 100)
        wire = sent("responses", reply)
        assert wire == OUTPUT
        for item in wire:
            assert set(adapter.validate_python(item)) == set(item)


def test_responses_without_reasoning() -> None:
    """When opaque reasoning left, the ids that depend on it have left too."""
    reply = decode({**RESPONSE, "output": OUTPUT})
    kept = tuple(p for p in reply.parts if not isinstance(p, Reasoning))
    assert all("id" not in item for item in sent("responses", Reply(kept)))
    without = tuple(p for p in reply.parts if "encrypted" not in getattr(p, "opaque", ""))
    ids = [item.get("id") for item in sent("responses", Reply(without))]
    assert not {"rs_1", "msg_1", "fc_1", "fc_2"} & set(ids)


CITATION = {
    "type": "char_location",
    "cited_text": "c",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 0,
    "end_char_index": 1,
}
CONTENT = [
    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
    {"type": "redacted_thinking", "data": "zz"},
    {"type": "text", "text": "Look.", "citations": [CITATION]},
    {"type": "text", "text": " So.\n"},
    {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srv_1",
        "content": [
            {
                "type": "web_search_result",
                "encrypted_content": "e",
                "title": "t",
                "url": "u",
                "page_age": None,
            }
        ],
    },
    {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "f",
        "input": {"x": [1.5, None]},
        "caller": {"type": "direct"},
    },
    {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}},
]


def test_anthropic() -> None:
    """A message's blocks come back with signatures, citations and callers."""
    types = pytest.importorskip("anthropic.types")
    adapter = pytest.importorskip("pydantic").TypeAdapter(types.MessageParam)
    made = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": CONTENT,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1,
            "cache_read_input_tokens": 20,
            "cache_creation_input_tokens": 300,
            "output_tokens": 4,
        },
    }
    for value in (made, types.Message.model_validate(made), types.Message.construct(**made)):
        reply = decode(value)
        assert (reply.model, reply.prompt_tokens) == ("claude-x", 321)
        [wire] = sent("anthropic", reply)
        assert wire == {"role": "assistant", "content": CONTENT}
        assert len(list(adapter.validate_python(wire)["content"])) == len(CONTENT)


def test_anthropic_read_only() -> None:
    """What a request may not carry stays behind: parsed texts, the file of a citation."""
    text = {"type": "text", "text": "a", "citations": [{**CITATION, "file_id": "f"}]}
    [wire] = sent(
        "anthropic", decode({"type": "message", "content": [{**text, "parsed_output": 1}]})
    )
    assert wire["content"] == [{"type": "text", "text": "a", "citations": [CITATION]}]


PARTS = [
    {"text": "look", "thought_signature": b"\xff\x00sig"},
    {
        "function_call": {"id": "x1", "name": "f", "args": {"aB": [1.5, None]}},
        "thought_signature": b"\xfe\xff\xfd",
    },
    {"function_call": {"name": "g", "args": {}}},
    {"inline_data": {"mime_type": "image/png", "data": b"\x00\x01\xff"}},
    {"executable_code": {"code": "1", "language": "PYTHON"}},
    {"text": "", "thought_signature": b"zz"},
]


def test_gemini() -> None:
    """A response's parts come back with signatures and data as bytes, from every kind of dump."""
    types = pytest.importorskip("google.genai").types
    made = {
        "candidates": [{"content": {"role": "model", "parts": PARTS}, "finish_reason": "STOP"}],
        "usage_metadata": {"prompt_token_count": 77, "cached_content_token_count": 70},
        "model_version": "gemini-x",
    }
    response = types.GenerateContentResponse.model_validate(made)
    values: list[Any] = [made, response, response.model_dump()]
    values += [response.model_dump(mode="json"), response.model_dump(mode="json", by_alias=True)]
    for value in values:
        reply = decode(value)
        assert (reply.model, reply.prompt_tokens) == ("gemini-x", 77)
        [wire] = sent("gemini", reply)
        assert wire == {"role": "model", "parts": PARTS}
        content = types.Content.model_validate(wire)
        assert content == response.candidates[0].content


def test_gemini_thoughts() -> None:
    """Thoughts without a signature are for reading only."""
    types = pytest.importorskip("google.genai").types
    parts = [types.Part(text="hm", thought=True), types.Part(text="hi")]
    reply = decode(types.Content(role="model", parts=parts))
    assert reply == Reply((Reasoning("hm"), Speech("hi")))


def test_other_formats_pass_over() -> None:
    """What one provider added to a reply, its reasoning too, reaches no other; a block that is
    neither is told in words that say whose it is, without what its provider alone can read."""
    replies = [
        decode({**RESPONSE, "output": OUTPUT}),
        decode({"type": "message", "content": CONTENT}),
        decode({"role": "model", "parts": PARTS}),
        decode({"role": "assistant", "content": "x", "reasoning_details": [1], "refusal": "no"}),
    ]
    for own, reply in zip(("responses", "anthropic", "gemini", "openai"), replies, strict=True):
        told = Reply(tuple(one for part in reply.parts if (one := in_words(part, own))))
        for other in FORMATS.keys() - {own}:
            assert sent(other, reply) == sent(other, told), (own, other)


def in_words(part: Any, format: str) -> Any:
    """Return a part of a reply as a provider of another format reads it, None for nothing."""
    if not isinstance(part, Reasoning):
        return part
    block = json.loads(part.opaque or "{}")
    if not block or "next" in block or is_reasoning(block):
        return None
    for one in block.get("content", []) if isinstance(block.get("content"), list) else ():
        one.pop("encrypted_content", None)
    said = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
    return Speech(f"[a block of {format}: {said}]")
