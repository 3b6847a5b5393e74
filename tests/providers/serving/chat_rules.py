"""A request of Chat Completions as it is counted, with OpenRouter's `reasoning_details`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import media
from tests.providers.serving.api import Asked, Refusal
from tests.providers.serving.openai_errors import UNSTATED, refused
from tests.providers.serving.prompt import Prompt, Unit, broken, declared
from tests.providers.serving.script import Tool


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """What a lawful request asks; raises Refusal for reasoning that was not thought here."""
    functions = [tool["function"] for tool in body.get("tools", ())]
    tools = tuple(Tool(one["name"], one.get("parameters", {"type": "object"})) for one in functions)
    prompt = Prompt([*declared(tools), *_units(body["messages"])])
    _signed(prompt)
    most = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    return Asked(body["model"], prompt, tools, most, bool(body.get("stream")), body)


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
        yield from media.openai_units(message.get("content"), place)
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
