"""The rules of Anthropic's Messages: roles, blocks, tool pairs, thinking, cache marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import messages_media
from tests.providers.serving.api import Asked
from tests.providers.serving.fields import Refusal, Wrong
from tests.providers.serving.messages_pairs import Placed, check_pairs, check_thinking
from tests.providers.serving.messages_wording import refused
from tests.providers.serving.prompt import Prompt, Unit, canonical, check_signatures, decrypted
from tests.providers.serving.script import Tool

MARK = {"cache_control": f.nullable(f.record({"type": f.choice("ephemeral")}, {"ttl": f.text}))}
TEXT = f.record({"type": f.text, "text": f.text}, {**MARK, "citations": f.nullable(f.array)})
SYSTEM = f.text_or(f.listof(f.tagged({"text": TEXT})))
MEDIA = messages_media.parts(TEXT, MARK)
HELD = f.text_or(f.listof(f.tagged({"text": TEXT, **MEDIA})))
ID, NAME = f.pattern(r"^[a-zA-Z0-9_-]+$"), f.pattern(r"^[a-zA-Z0-9_-]{1,200}$")
BLOCKS = {
    "text": TEXT,
    **MEDIA,
    "thinking": f.record({"type": f.text, "thinking": f.text, "signature": f.text}),
    "redacted_thinking": f.record({"type": f.text, "data": f.text}),
    "tool_use": f.record(
        {"type": f.text, "id": ID, "name": NAME, "input": f.mapping},
        {**MARK, "caller": f.anything},
    ),
    "tool_result": f.record(
        {"type": f.text, "tool_use_id": ID}, {**MARK, "content": HELD, "is_error": f.flag}
    ),
}
CONTENT = f.text_or(f.listof(f.tagged(BLOCKS)))
MESSAGE = f.record({"role": f.text, "content": CONTENT})
CUSTOM = {"type": f.nullable(f.choice("custom")), "description": f.text}
TOOL = f.record(
    {"name": f.pattern(r"^[a-zA-Z0-9_-]{1,128}$"), "input_schema": f.mapping},
    {**CUSTOM, **MARK, "strict": f.flag, "input_examples": f.array},
)
THINKING = f.tagged(
    {
        "enabled": f.record({"type": f.text, "budget_tokens": f.integer}, {"display": f.text}),
        "disabled": f.record({"type": f.text}),
        "adaptive": f.record({"type": f.text}, {"display": f.text}),
    }
)
OTHERS = [
    "container", "inference_geo", "metadata", "output_config", "service_tier", "stop_sequences",
    "temperature", "tool_choice", "top_k", "top_p",
]  # fmt: skip
REQUEST = f.record(
    {"model": f.text, "messages": f.listof(MESSAGE), "max_tokens": f.integer},
    {
        "system": SYSTEM,
        "tools": f.listof(TOOL),
        "thinking": THINKING,
        "stream": f.flag,
        **MARK,
        **dict.fromkeys(OTHERS, f.anything),
    },
)
MARKS = 4
# "Preserved thinking" (platform.claude.com): since Fable 5.1 a block is bound to all that stands
# before it, always; none is demanded. Thinking cannot be configured away there ("Migration guide").
PRESERVED = ("claude-fable-5-1", "claude-fable-5-2")


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """The request, if it is lawful; raises Refusal."""
    try:
        REQUEST(body, ())
    except Wrong as wrong:
        raise refused(str(wrong)) from wrong
    _checked_limits(body)
    tools = tuple(_tools(body.get("tools", ())))
    turns = _turns(body["messages"])
    check_pairs(turns, bool(tools))
    thinks = body.get("thinking", {}).get("type") in ("enabled", "adaptive")
    check_thinking(turns, thinks, demanded=not body["model"].startswith(PRESERVED))
    prompt = Prompt([*_head(body), *_units(turns)])
    marks = sum(unit.marked for unit in prompt.units) + bool(body.get("cache_control"))
    if marks > MARKS:
        raise refused(f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.")
    bound = _signed(prompt, turns, body["model"], items)
    stream = bool(body.get("stream"))
    return Asked(body["model"], prompt, tools, body["max_tokens"], stream, body, bound)


def _checked_limits(body: dict[str, Any]) -> None:
    if body["max_tokens"] < 1:
        raise refused("max_tokens: Input should be greater than or equal to 1")
    kind = body.get("thinking", {}).get("type", "adaptive")
    if kind != "adaptive" and body["model"].startswith(PRESERVED):
        raise refused(f'"thinking.type.{kind}" is not supported for this model.')
    budget = body.get("thinking", {}).get("budget_tokens")
    if budget is not None and budget < 1024:
        raise refused("thinking.enabled.budget_tokens: less than 1024")
    if budget is not None and body["max_tokens"] <= budget:
        raise refused("max_tokens must be greater than thinking.budget_tokens")


def _tools(declared: list[dict[str, Any]]) -> Iterator[Tool]:
    seen = set()
    for number, tool in enumerate(declared):
        if tool["name"] in seen:
            raise refused("tools: Tool names must be unique.")
        if tool["input_schema"].get("type") != "object":
            raise refused(f"tools.{number}.custom.input_schema.type: Input should be 'object'")
        seen.add(tool["name"])
        yield Tool(tool["name"], tool["input_schema"])


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _turns(messages: list[dict[str, Any]]) -> list[Placed]:
    """Roles with their blocks, each with its path; messages of one role in a row are one turn."""
    if not messages:
        raise refused("messages: at least one message is required")
    turns: list[Placed] = []
    for number, message in enumerate(messages):
        role, blocks = message["role"], _blocks(message["content"])
        if role not in ("user", "assistant"):
            raise refused(f"messages: no role is named {role}")
        last = number == len(messages) - 1 and role == "assistant"
        if not blocks or blocks == [{"type": "text", "text": ""}]:
            if last:
                continue
            raise refused(f"messages.{number}: no content")
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
        _text(block["text"], block, "system")
        marked = bool(block.get("cache_control"))
        yield Unit("system", "", block["text"], (block["text"],), marked=marked)


def _text(text: str, block: dict[str, Any], where: str) -> None:
    if not text and block.get("cache_control"):
        raise refused(f"{where}.text: cache_control cannot be set for empty text blocks")
    where = where.partition(".")[0]
    if not text:
        raise refused(f"{where}: text content blocks must be non-empty")
    if not text.strip():
        raise refused(f"{where}: text content blocks must contain non-whitespace text")


def _units(turns: list[Placed]) -> Iterator[Unit]:
    for number, (role, placed) in enumerate(turns):
        for at, (path, block) in enumerate(placed):
            marked, place = bool(block.get("cache_control")), (number, at)
            kind, value, texts, sign = UNITS[block["type"]](block, path)
            yield Unit(kind, role, value, texts, sign, marked, place, messages_media.seen(block))


Read = tuple[str, Any, tuple[str, ...], str]


def _said(block: dict[str, Any], path: str) -> Read:
    _text(block["text"], block, path)
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
        if part["type"] == "text":
            _text(part["text"], part, path)
        parts.append(part["text"] if part["type"] == "text" else messages_media.value(part))
    value = [block["tool_use_id"], parts, block.get("is_error", False)]
    return "result", value, (block["tool_use_id"], *(p for p in parts if isinstance(p, str))), ""


UNITS = {
    "text": _said,
    **dict.fromkeys(MEDIA, messages_media.shown),
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
