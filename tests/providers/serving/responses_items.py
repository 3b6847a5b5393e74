"""What Responses asks of its items: ids said once, calls with their outputs, reasoning in place.

Nothing is stored (`store=False`), so an item is known by what it holds. The server remembers only
which ids it gave out together: a call that comes back under its id needs the reasoning before it.
"""

from __future__ import annotations

from typing import Any

from tests.providers.serving.fields import Refusal
from tests.providers.serving.openai_errors import longest, refused

PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}


def check_identified(given: list[dict[str, Any]]) -> None:
    """Ids say what they are of, and are there once."""
    seen: set[str] = set()
    for number, item in enumerate(given):
        prefix, id = PREFIXES.get(item["type"]), item.get("id")
        if id is not None and prefix and not id.startswith(prefix):
            raise refused(f"input[{number}].id: {id} does not begin with {prefix}")
        if id in seen:
            raise _twice(str(id))
        seen |= {id} if id is not None else set()
        if "call_id" in item:
            longest(f"input[{number}].call_id", item["call_id"], 64)


def _twice(id: str) -> Refusal:
    return refused(f"{id} stands there twice")


def check_paired(given: list[dict[str, Any]]) -> None:
    """Every call has its output before anything else is said; every output has its call."""
    waiting: list[str] = []
    seen: set[str] = set()
    answered: set[str] = set()
    for item in given:
        id = item.get("call_id", "")
        if item["type"] == "function_call_output":
            if id not in seen:
                raise refused(
                    f"No tool call found for function call output with call_id {id}.", "input"
                )
            if id in answered:  # the wording for items; none is documented for outputs
                raise _twice(id)
            answered.add(id)
            waiting.remove(id)
            continue
        if item["type"] == "function_call":
            if id in seen:
                raise _twice(id)
            seen.add(id)
            waiting.append(id)
        elif waiting:
            break
    if waiting:
        raise refused(f"No tool output found for function call {waiting[0]}.", "input")


def check_reasoned(given: list[dict[str, Any]], items: dict[str, Any]) -> None:
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
    return f"text:{text_of(item['content'])}" if own else ""


def text_of(content: Any) -> str:
    """The text of a message or an output; its parts are one text."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", part.get("refusal", "")) for part in content)
