"""Images and documents in a user's message of Anthropic's Messages, and in what a tool gave."""

from __future__ import annotations

from typing import Any

from tests.providers.serving import media

PAGE = 1_500  # "PDF support": 1,500 to 3,000 a page


def seen(block: dict[str, Any]) -> int:
    """Tokens of the images and documents of a block, or of a result."""
    if "source" not in block:
        held = block.get("content", "") if block["type"] == "tool_result" else ""
        return sum(map(seen, held)) if isinstance(held, list) else 0
    source = block["source"]
    if source["type"] == "content":
        held = source["content"]
        held = [{"type": "text", "text": held}] if isinstance(held, str) else held
        return sum(seen(b) if b["type"] == "image" else media.tokens_of(b["text"]) for b in held)
    if source["type"] == "text":
        return media.tokens_of(source["data"])
    kind = "image/" if block["type"] == "image" else media.PDF
    data = media.bytes_of(source.get("data", "")) or b""
    return media.tokens(kind, data, media.by_area, PAGE)


def value(block: dict[str, Any]) -> list[str]:
    """What stands for a block in a prompt, its cache mark apart."""
    plain = {name: field for name, field in block.items() if name != "cache_control"}
    return [block["type"], media.digest(plain)]


def shown(block: dict[str, Any], path: str) -> tuple[str, Any, tuple[str, ...], str]:
    """A block of a message as a unit: its kind, its value, its texts, its signature."""
    return "media", value(block), (), ""
