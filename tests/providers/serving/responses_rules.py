"""The rules of OpenAI's Responses: fields, tools, and reasoning nobody else can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import openai_media
from tests.providers.serving.api import Asked
from tests.providers.serving.fields import Refusal, Wrong
from tests.providers.serving.openai_errors import UNSTATED, checked_schema, empty, refused
from tests.providers.serving.prompt import Prompt, Unit, broken, declared, decrypted
from tests.providers.serving.responses_items import (
    check_identified,
    check_paired,
    check_reasoned,
    text_of,
)
from tests.providers.serving.script import Tool

NAME = f.pattern(r"^[a-zA-Z0-9_-]{1,64}$")
STATUS = f.choice("in_progress", "completed", "incomplete")
TEXT = {"input_text": f.record({"type": f.text, "text": f.text})}
GIVEN = f.tagged({**TEXT, **openai_media.RESPONSES})
BESIDE = {"annotations": f.array, "logprobs": f.nullable(f.array)}
SPOKEN = f.record({"type": f.text, "text": f.text}, BESIDE)
SAID = f.tagged({"output_text": SPOKEN, "refusal": f.record({"type": f.text, "refusal": f.text})})
SUMMARY = f.record({"type": f.choice("summary_text"), "text": f.text})
COMMON = {"type": f.choice("message"), "id": f.text, "status": STATUS, "phase": f.nullable(f.text)}
CONTENTS = {"system": f.tagged(TEXT), "developer": f.tagged(TEXT), "user": GIVEN, "assistant": SAID}
MESSAGE = f.tagged(
    {
        role: f.record({"role": f.text, "content": f.text_or(f.listof(part))}, COMMON)
        for role, part in CONTENTS.items()
    },
    "role",
)
ITEM = f.tagged(
    {
        "message": MESSAGE,
        "function_call": f.record(
            {"type": f.text, "call_id": f.text, "name": NAME, "arguments": f.text},
            {"id": f.text, "status": STATUS},
        ),
        "function_call_output": f.record(
            {"type": f.text, "call_id": f.text, "output": f.text_or(f.listof(GIVEN))},
            {"id": f.text, "status": STATUS},
        ),
        "reasoning": f.record(
            {"type": f.text, "id": f.text, "summary": f.listof(SUMMARY)},
            {"encrypted_content": f.nullable(f.text), "content": f.array, "status": STATUS},
        ),
    }
)
TOOL = f.record(
    {"type": f.choice("function"), "name": NAME},
    {"description": f.text, "parameters": f.nullable(f.mapping), "strict": f.nullable(f.flag)},
)
OTHERS = [
    "background", "conversation", "context_management", "max_tool_calls", "metadata",
    "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key",
    "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store",
    "stream_options", "temperature", "text", "tool_choice", "top_logprobs", "top_p", "truncation",
    "user",
]  # fmt: skip
REQUEST = f.record(
    {"model": f.text, "input": f.text_or(f.array)},
    {
        "instructions": f.nullable(f.text),
        "tools": f.listof(TOOL),
        "include": f.nullable(f.listof(f.text)),
        "max_output_tokens": f.nullable(f.integer),
        "stream": f.nullable(f.flag),
        **dict.fromkeys(OTHERS, f.anything),
    },
)
SEALED = "reasoning.encrypted_content"


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """The request, if it is lawful; raises Refusal. `items` are those the session was given."""
    try:
        REQUEST(body, ())
        given = _items(body["input"])
    except Wrong as wrong:
        raise refused(str(wrong)) from wrong
    model, include = body["model"], body.get("include") or []
    if SEALED in include and not reasons(model):
        raise refused("Encrypted content is not supported with this model.", "include")
    if (most := body.get("max_output_tokens") or 0) and most < 16:
        raise refused(f"max_output_tokens: {most} is less than 16")
    tools = tuple(_tools(body))
    check_identified(given)
    check_paired(given)
    check_reasoned(given, items)
    prompt = Prompt(_units(body.get("instructions"), tools, given))
    _signed(prompt, given)
    return Asked(model, prompt, tools, most, bool(body.get("stream")), body)


def reasons(model: str) -> bool:
    """Whether a model thinks before it answers."""
    return model.startswith(("gpt-5", "o1", "o3", "o4", "codex"))


def _items(value: Any) -> list[dict[str, Any]]:
    """The input as items that name their type."""
    if isinstance(value, str):
        return [{"type": "message", "role": "user", "content": value}]
    items = []
    for number, item in enumerate(value):
        bare = isinstance(item, dict) and "type" not in item and "role" in item
        item = {"type": "message", **item} if bare else item
        ITEM(item, ("input", number))
        items.append(item)
    if not items:
        raise empty("input")
    return items


def _tools(body: dict[str, Any]) -> Iterator[Tool]:
    for number, tool in enumerate(body.get("tools", ())):
        schema = tool.get("parameters")
        checked_schema(tool["name"], schema, f"tools[{number}].parameters")
        yield Tool(tool["name"], schema)


def _units(
    instructions: str | None, tools: tuple[Tool, ...], given: list[dict[str, Any]]
) -> Iterator[Unit]:
    if instructions:
        yield Unit("system", "", instructions, (instructions,))
    yield from declared(tools)
    for number, item in enumerate(given):
        place = (number, 0)
        if item["type"] == "message":
            text = text_of(item["content"])
            yield Unit("text", item["role"], text, (text,), place=place)
            yield from openai_media.units(item["content"], place)
        elif item["type"] == "reasoning":
            content, sign = decrypted(item["encrypted_content"])
            yield Unit("thought", "", content, (content,), sign or "none", place=place)
        elif item["type"] == "function_call":
            value = [item["call_id"], item["name"], item["arguments"]]
            yield Unit("call", "", value, tuple(value), place=place)
        else:
            value = [item["call_id"], text_of(item["output"])]
            yield Unit("result", "", value, tuple(value), place=place)
            yield from openai_media.units(item["output"], place)


def _signed(prompt: Prompt, given: list[dict[str, Any]]) -> None:
    """Encrypted reasoning is the server's own, of this item, after the very same words."""
    for number, unit in enumerate(prompt.units):
        if not unit.sign:
            continue
        item = given[unit.place[0]]
        wrong = broken(unit.sign, unit.content, prompt.before(number))
        if wrong or unit.value.partition("\n")[0] != item["id"]:
            raise refused(f"{item['id']}: its encrypted content is not its own, or not here")


def too_long(asked: Asked, count: int, limit: int, *, stated: bool) -> Refusal:
    """The refusal of a request that is too long: this API never says by how much."""
    return refused(UNSTATED, "input", "context_length_exceeded")
