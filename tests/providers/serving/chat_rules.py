"""The rules of OpenAI's Chat Completions, with OpenRouter's `reasoning_details` beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import openai_media
from tests.providers.serving.api import Asked
from tests.providers.serving.fields import Refusal, Wrong
from tests.providers.serving.openai_errors import UNSTATED, checked_schema, empty, longest, refused
from tests.providers.serving.prompt import Prompt, Unit, broken, declared
from tests.providers.serving.script import Tool

NAME = f.pattern(r"^[a-zA-Z0-9_-]{1,64}$")
TEXT = {"text": f.record({"type": f.text, "text": f.text})}
PARTS = f.text_or(f.listof(f.tagged(TEXT)))
FUNCTION = f.record({"name": NAME, "arguments": f.text})
CALL = f.record({"id": f.text, "type": f.choice("function"), "function": FUNCTION})
NULLABLE = f.nullable(f.anything)
DETAIL = f.record(
    {"type": f.choice("reasoning.text", "reasoning.encrypted")},
    dict.fromkeys(("text", "signature", "data", "id", "format", "index"), NULLABLE),
)
PLAIN = f.record({"role": f.text, "content": PARTS}, {"name": f.text})
GIVEN = f.text_or(f.listof(f.tagged({**TEXT, **openai_media.CHAT})))
MESSAGE = f.tagged(
    {
        "system": PLAIN,
        "developer": PLAIN,
        "user": f.record({"role": f.text, "content": GIVEN}, {"name": f.text}),
        "assistant": f.record(
            {"role": f.text},
            {
                "content": f.nullable(PARTS),
                "tool_calls": f.listof(CALL),
                "refusal": f.nullable(f.text),
                "name": f.text,
                "reasoning": f.nullable(f.text),
                "reasoning_content": f.nullable(f.text),
                "reasoning_details": f.listof(DETAIL),
            },
        ),
        "tool": f.record({"role": f.text, "content": PARTS}, {"tool_call_id": f.text}),
    },
    "role",
)
DECLARED = {"description": f.text, "parameters": f.mapping, "strict": f.nullable(f.flag)}
FUNCTIONS = {"type": f.choice("function"), "function": f.record({"name": NAME}, DECLARED)}
TOOL = f.record(FUNCTIONS)
LIMIT = f.nullable(f.integer)
OTHERS = [
    "audio", "frequency_penalty", "logit_bias", "logprobs", "metadata", "modalities", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
    "prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed",
    "service_tier", "stop", "store", "temperature", "tool_choice", "top_logprobs", "top_p", "user",
    "verbosity", "web_search_options",
]  # fmt: skip
REQUEST = f.record(
    {"model": f.text, "messages": f.listof(MESSAGE)},
    {
        "tools": f.listof(TOOL),
        "max_tokens": LIMIT,
        "max_completion_tokens": LIMIT,
        "stream": f.nullable(f.flag),
        "stream_options": f.nullable(f.record({}, {"include_usage": f.flag})),
        **dict.fromkeys(OTHERS, f.anything),
    },
)


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """The request, if it is lawful; raises Refusal."""
    if not body.get("model"):
        raise refused("you must provide a model parameter")
    try:
        REQUEST(body, ())
    except Wrong as wrong:
        raise refused(str(wrong)) from wrong
    if not body["messages"]:
        raise empty("messages")
    if body["model"].startswith(("gpt-5", "o1", "o3", "o4")) and "max_tokens" in body:
        raise refused("max_tokens is not for this model")
    tools = _tools(body)
    _paired(body["messages"])
    prompt = Prompt([*declared(tools), *_units(body["messages"])])
    _signed(prompt)
    most = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    return Asked(body["model"], prompt, tools, most, bool(body.get("stream")), body)


def _tools(body: dict[str, Any]) -> tuple[Tool, ...]:
    if "tools" in body and not body["tools"]:
        raise empty("tools")
    tools = []
    for number, tool in enumerate(body.get("tools", ())):
        function = tool["function"]
        schema = function.get("parameters", {"type": "object"})
        checked_schema(function["name"], schema, f"tools[{number}].function.parameters")
        tools.append(Tool(function["name"], schema))
    return tuple(tools)


def _paired(messages: list[dict[str, Any]]) -> None:
    """Tool messages answer the calls right before them, each once, and all of them."""
    waiting: dict[str, int] = {}  # id → number of the message that answered it, -1 when none
    for number, message in enumerate(messages):
        at = f"messages.[{number}]"
        if message["role"] == "tool":
            _answered(message, number, waiting, messages[number - 1]["role"] if number else "")
            continue
        _complete(waiting, at)
        waiting = {}
        if message["role"] == "assistant":
            calls = message.get("tool_calls")
            if calls == []:
                raise empty(f"messages[{number}].tool_calls")
            if message.get("content") is None and not calls:
                raise refused("Invalid value for 'content': expected a string, got null.", at)
            for place, call in enumerate(calls or ()):
                longest(f"messages[{number}].tool_calls[{place}].id", call["id"], 40)
                if call["id"] in waiting:  # the wording of a second answer; none is documented
                    raise _twice(call["id"], number, number)
                waiting[call["id"]] = -1
    _complete(waiting, f"messages.[{len(messages)}]")


def _answered(message: dict[str, Any], number: int, waiting: dict[str, int], last: str) -> None:
    at = f"messages.[{number}]"
    id = message.get("tool_call_id")
    if last not in ("assistant", "tool") or not waiting:
        raise refused(f"{at}: a tool message answers no message with tool_calls")
    if id is None:
        raise refused(f"{at}: tool_call_id is missing")
    if id not in waiting:
        raise refused(f"{at}: no call {id} in the message before")
    if waiting[id] >= 0:
        raise _twice(id, waiting[id], number)
    waiting[id] = number


def _twice(id: str, first: int, second: int) -> Refusal:
    return refused(f"messages {first} and {second} answer or make the same call {id}")


def _complete(waiting: dict[str, int], at: str) -> None:
    missing = [id for id, number in waiting.items() if number < 0]
    if missing:
        raise refused(f"{at}: no answer to the calls {missing}")


def _said(content: Any) -> str:
    """A message's text; its parts are one text, whatever is seen or heard between them."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _units(messages: list[dict[str, Any]]) -> Iterator[Unit]:
    for number, message in enumerate(messages):
        role, place = message["role"], (number, 0)
        if role == "tool":
            text = _said(message["content"])
            value = [message["tool_call_id"], text]
            yield Unit("result", role, value, tuple(value), place=place)
            continue
        for detail in message.get("reasoning_details") or ():
            text = detail.get("text") or ""
            sign = detail.get("signature") or "none"
            yield Unit("thought", role, text, (text,), sign, place=place)
        if text := _said(message.get("content")):
            yield Unit("text", role, text, (text,), place=place)
        yield from openai_media.units(message.get("content"), place)
        for call in message.get("tool_calls") or ():
            function = call["function"]
            value = [call["id"], function["name"], function["arguments"]]
            yield Unit("call", role, value, tuple(value), place=place)


def _signed(prompt: Prompt) -> None:
    """Reasoning sent back is the router's own, after the very words it was thought after."""
    for number, unit in enumerate(prompt.units):
        if unit.sign and broken(unit.sign, unit.content, prompt.before(number)):
            raise refused(f"messages.{unit.place[0]}: Invalid `signature`", "messages")


def too_long(asked: Asked, count: int, limit: int, *, stated: bool) -> Refusal:
    """The refusal of a request that is too long, with figures or without."""
    param, code = "messages", "context_length_exceeded"
    if not stated:
        return refused(UNSTATED, param, code)
    said = f"your messages resulted in {count} tokens. Please reduce the length of the messages."
    if count <= limit:
        said = (
            f"you requested {count + asked.most} tokens ({count} in the messages, {asked.most} in"
            " the completion). Please reduce the length of the messages or completion."
        )
    start = f"This model's maximum context length is {limit} tokens. However, "
    return refused(start + said, param, code)
