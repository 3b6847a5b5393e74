"""A request of Anthropic's Messages as it is counted, and the thinking in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import media
from tests.providers.serving.api import Asked, Refusal
from tests.providers.serving.messages_wording import refused
from tests.providers.serving.prompt import Prompt, Unit, canonical, check_signatures, decrypted
from tests.providers.serving.script import Tool

Placed = tuple[str, list[tuple[str, dict[str, Any]]]]
THOUGHTS = ("thinking", "redacted_thinking")
# "Preserved thinking" (platform.claude.com): since Fable 5.1 a block is bound to all that stands
# before it, always; none is demanded.
PRESERVED = ("claude-fable-5-1", "claude-fable-5-2")


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """What a lawful request asks; raises Refusal for thinking that is missing or not its own."""
    tools = tuple(Tool(tool["name"], tool["input_schema"]) for tool in body.get("tools", ()))
    turns = _turns(body["messages"])
    model = body["model"]
    if body.get("thinking", {}).get("type") in ("enabled", "adaptive"):
        _thought_first(turns, model)
    prompt = Prompt([*_head(body), *_units(turns)])
    bound = _signed(prompt, turns, model, items)
    stream = bool(body.get("stream"))
    return Asked(model, prompt, tools, body["max_tokens"], stream, body, bound)


def _thought_first(turns: list[Placed], model: str) -> None:
    """Where thinking is demanded, a running loop's last reply starts with it. Where the loop's
    results end and the user goes on in words, the loop goes on too."""
    loop = any(block["type"] == "tool_result" for _, block in turns[-1][1])
    path, block = turns[-2][1][0] if loop else ("", {"type": "thinking"})
    if block["type"] not in THOUGHTS and not model.startswith(PRESERVED):
        raise refused(f"{path}: the running loop must start with thinking")


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _turns(messages: list[dict[str, Any]]) -> list[Placed]:
    """Roles with their blocks, each with its path; messages of one role in a row are one turn."""
    turns: list[Placed] = []
    for number, message in enumerate(messages):
        role, blocks = message["role"], _blocks(message["content"])
        placed = [(f"messages.{number}.content.{at}", block) for at, block in enumerate(blocks)]
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(placed)
        else:
            turns.append((role, placed))
    return turns


def _head(body: dict[str, Any]) -> Iterator[Unit]:
    for tool in body.get("tools", ()):
        value = {key: tool.get(key) for key in ("name", "description", "input_schema")}
        marked = bool(tool.get("cache_control"))
        yield Unit("tool", "", value, (canonical(value),), marked=marked)
    for block in _blocks(body.get("system", [])):
        marked = bool(block.get("cache_control"))
        yield Unit("system", "", block["text"], (block["text"],), marked=marked)


def _units(turns: list[Placed]) -> Iterator[Unit]:
    for number, (role, placed) in enumerate(turns):
        for at, (path, block) in enumerate(placed):
            marked, place = bool(block.get("cache_control")), (number, at)
            kind, value, texts, sign = UNITS[block["type"]](block, path)
            yield Unit(kind, role, value, texts, sign, marked, place, media.anthropic_seen(block))


Read = tuple[str, Any, tuple[str, ...], str]


def _said(block: dict[str, Any], path: str) -> Read:
    return "text", block["text"], (block["text"],), ""


def _thought(block: dict[str, Any], path: str) -> Read:
    return "thought", block["thinking"], (block["thinking"],), block["signature"] or "none"


def _redacted(block: dict[str, Any], path: str) -> Read:
    content, sign = decrypted(block["data"])
    return "thought", content, (content,), sign or "none"


def _used(block: dict[str, Any], path: str) -> Read:
    value = [block["id"], block["name"], block["input"]]
    return "call", value, (block["id"], block["name"], canonical(block["input"])), ""


def _result(block: dict[str, Any], path: str) -> Read:
    content = block.get("content", "")
    parts: list[Any] = [content] if isinstance(content, str) else []
    for part in () if isinstance(content, str) else content:
        parts += [part["text"] if part["type"] == "text" else media.anthropic_value(part)]
    value = [block["tool_use_id"], parts, block.get("is_error", False)]
    return "result", value, (block["tool_use_id"], *(p for p in parts if isinstance(p, str))), ""


UNITS = {
    "text": _said,
    **dict.fromkeys(("image", "document"), media.anthropic_shown),
    "thinking": _thought,
    "redacted_thinking": _redacted,
    "tool_use": _used,
    "tool_result": _result,
}


def _signed(
    prompt: Prompt, turns: list[Placed], model: str, items: dict[str, Any]
) -> frozenset[tuple[str, bytes]]:
    """Thinking is the server's own, where it was thought; see `check_signatures`."""
    preserved = model.startswith(PRESERVED)
    results = turns[-1][0] == "user" and any(b["type"] == "tool_result" for _, b in turns[-1][1])
    running = len(turns) - 2 if results and not preserved else -1
    known = () if preserved else items.get("bound", ())
    wrong, bound = check_signatures(prompt, running, known, ())
    if wrong is not None:
        turn, at = wrong.place
        path, block = turns[turn][1][at]
        kind = block["type"]
        name = "signature" if kind == "thinking" else "data"
        more = " The block is bound to a different conversation." if preserved else ""
        raise refused(f"{path}: Invalid `{name}` in `{kind}` block{more}")
    return bound


def too_long(asked: Asked, count: int, limit: int, *, stated: bool) -> Refusal:
    """The refusal of a request that is too long, with figures or (as Bedrock has it) without."""
    if not stated:
        return refused("Input is too long for requested model.")
    if count > limit:
        return refused(f"prompt is too long: {count} tokens > {limit} maximum")
    return refused(
        f"input length and `max_tokens` exceed context limit: {count} + {asked.most} > {limit},"
        " decrease input length or `max_tokens` and try again"
    )
