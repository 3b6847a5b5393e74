"""A request of Responses as it is counted, and its reasoning, which nobody else can read.

Nothing is stored (`store=False`), so an item is known by what it holds. The server remembers only
which ids it gave out together: a call that comes back under its id needs the reasoning before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import media
from tests.providers.serving.api import Asked, Refusal
from tests.providers.serving.openai_errors import UNSTATED, refused
from tests.providers.serving.prompt import Prompt, Unit, broken, declared, decrypted
from tests.providers.serving.script import Tool

SEALED = "reasoning.encrypted_content"


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """What a lawful request asks, `items` being those the session was given; raises Refusal."""
    given = body["input"]
    given = [{"role": "user", "content": given}] if isinstance(given, str) else given
    given = [{"type": "message", **item} for item in given]
    model, most = body["model"], body.get("max_output_tokens") or 0
    if SEALED in (body.get("include") or []) and not reasons(model):
        raise refused("Encrypted content is not supported with this model.", "include")
    tools = tuple(Tool(tool["name"], tool.get("parameters")) for tool in body.get("tools", ()))
    _reasoned(given, items)
    prompt = Prompt(_units(body.get("instructions"), tools, given))
    _signed(prompt, given)
    return Asked(model, prompt, tools, most, bool(body.get("stream")), body)


def reasons(model: str) -> bool:
    """Whether a model thinks before it answers."""
    return model.startswith(("gpt-5", "o1", "o3", "o4", "codex"))


def _reasoned(given: list[dict[str, Any]], items: dict[str, Any]) -> None:
    """Reasoning stands before the item it led to; an item under its id has its reasoning."""
    seen = {item["id"] for item in given if item["type"] == "reasoning"}
    for number, item in enumerate(given):
        id = item.get("id")
        if item["type"] == "reasoning":
            if not item.get("encrypted_content"):
                raise refused(f"{id}: not found, for it is not stored", status=404)
            after = given[number + 1] if number + 1 < len(given) else {}
            led = items.get(id, {}).get("next", set())
            if not led & {after.get("id"), after.get("call_id"), _spoken(after)}:
                raise refused(f"{id}: reasoning without its following item")
        needed = items.get(id, {}).get("reasoning") if id else None
        if needed and needed not in seen:
            raise refused(f"{id}: without its reasoning {needed}")


def _spoken(item: dict[str, Any]) -> str:
    """What an assistant's message says, which tells it apart when its id was left out."""
    own = item.get("type") == "message" and item["role"] == "assistant" and "id" not in item
    return f"text:{_text_of(item['content'])}" if own else ""


def _text_of(content: Any) -> str:
    """The text of a message or an output; its parts are one text."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", part.get("refusal", "")) for part in content)


def _units(
    instructions: str | None, tools: tuple[Tool, ...], given: list[dict[str, Any]]
) -> Iterator[Unit]:
    if instructions:
        yield Unit("system", "", instructions, (instructions,))
    yield from declared(tools)
    for number, item in enumerate(given):
        place = (number, 0)
        if item["type"] == "message":
            text = _text_of(item["content"])
            yield Unit("text", item["role"], text, (text,), place=place)
            yield from media.openai_units(item["content"], place)
        elif item["type"] == "reasoning":
            content, sign = decrypted(item["encrypted_content"])
            yield Unit("thought", "", content, (content,), sign or "none", place=place)
        elif item["type"] == "function_call":
            value = [item["call_id"], item["name"], item["arguments"]]
            yield Unit("call", "", value, tuple(value), place=place)
        else:
            value = [item["call_id"], _text_of(item["output"])]
            yield Unit("result", "", value, tuple(value), place=place)
            yield from media.openai_units(item["output"], place)


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
